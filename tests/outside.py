"""The tools that acceptance tests need from outside: missing ones skip a test here and fail it in CI."""

import os
import shutil
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

ROOT = Path(__file__).resolve().parent.parent


def missing(what: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing, and in CI nothing may be missing")
    pytest.skip(f"{what} is not installed here")


def program(name: str) -> str:
    found = shutil.which(name, path=os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")]))
    return found if found is not None else missing(name)


def node_module(path: str) -> str:
    """A file of an npm package: below TRAINPROOF_NODE_MODULES, or a `node_modules` beside the project."""
    places = (os.environ.get("TRAINPROOF_NODE_MODULES", ""), str(ROOT / "node_modules"))
    for place in places:
        if place and os.path.exists(os.path.join(place, path)):
            return os.path.join(place, path)
    return missing(f"the npm file {path}")


def clean_environment(**extra: str) -> dict[str, str]:
    """The environment without what a runner around the tests would leak into them."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("GITHUB_", "RUNNER_", "INPUT_", "TRAINPROOF_", "GIT_"))
    }
    return {**kept, **extra}


def strict_json(path: Path) -> Any:
    import json

    return json.loads(path.read_text("utf-8"))
