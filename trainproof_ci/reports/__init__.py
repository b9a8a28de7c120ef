"""Reports: pure functions from a Report to text. One file an output; they tell and compute no verdict."""

from collections.abc import Callable, Iterable
from importlib import import_module

from trainproof_ci.model import Report

FORMATS = ("text", "json", "sarif", "markdown", "html", "github")


def renderer(name: str) -> Callable[[Report], str]:
    """The function that renders a report in the format `name`, one of FORMATS."""
    found: Callable[[Report], str] = import_module(f"trainproof_ci.reports.{name}").render
    return found


def pieces(name: str, report: Report) -> Iterable[str]:
    """The report in the format `name`, piece after piece where the format can, so that it need not be in memory."""
    module = import_module(f"trainproof_ci.reports.{name}")
    found: Iterable[str] = module.pieces(report) if hasattr(module, "pieces") else (module.render(report),)
    return found
