"""Tries an import in a process of its own, and tells apart how it ended: fine, an error, an exit, a crash, a hang."""

import json
import os
import subprocess
import sys
import tempfile

from trainproof_ci.typed import NamedTuple

CHILD = r"""
import importlib, importlib.util, json, os, sys, traceback
target, told = sys.argv[1], sys.argv[2]
def tell(**outcome):
    with open(told, "w", encoding="utf-8") as file:
        json.dump(outcome, file)
sys.argv = [target]
try:
    if target.endswith(".py") or os.sep in target:
        sys.path[0] = os.path.dirname(os.path.abspath(target))
        spec = importlib.util.spec_from_file_location("trainproof_probe", target)
        module = importlib.util.module_from_spec(spec)
        sys.modules["trainproof_probe"] = module
        spec.loader.exec_module(module)
    else:
        sys.path[0] = os.getcwd()
        importlib.import_module(target)
except SystemExit as left:
    tell(how="exited", code=left.code if isinstance(left.code, int) else 0 if left.code is None else 1)
except BaseException as error:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != "<string>" and "importlib" not in f.filename]
    own = [f for f in frames if os.path.abspath(f.filename) == os.path.abspath(target)] or frames
    tell(how="failed", error=type(error).__name__, name=str(getattr(error, "name", "") or ""), line=(getattr(error, "lineno", 0) if isinstance(error, SyntaxError) and str(error.filename).endswith(target) else own[-1].lineno if own else 0) or 0)
else:
    tell(how="imported")
os._exit(0) if os.path.exists(told) else None
"""
"""What the child runs. It ends without the exit handlers of what it imported: their trouble is not the import's."""
NO_IMPORT_EVENTS = frozenset({"pull_request_target", "workflow_run"})
"""Events in which a fork's code would be imported with the rights of the base repository."""


class Outcome(NamedTuple):
    """How an import ended. `how` is "imported", "failed", "exited", "crashed", "hung", "missing" or "refused".

    `error` is the type of the exception and `name` the module it names, `line` where in the target it was raised;
    `code` is the exit code or the signal.
    """

    target: str
    how: str
    error: str = ""
    name: str = ""
    line: int = 0
    code: int = 0
    seconds: float = 0.0


def probe(target: str, seconds: float, python: str | None) -> Outcome:
    """Import `target` (a file or a module's name) with `python` and say how it ended."""
    if os.environ.get("GITHUB_EVENT_NAME") in NO_IMPORT_EVENTS:
        return Outcome(target, "refused")
    if target.endswith(".py") and not os.path.isfile(target):
        return Outcome(target, "missing")
    with tempfile.TemporaryDirectory() as folder:
        told = os.path.join(folder, "outcome.json")
        try:
            code = _run([python or interpreter(), "-c", CHILD, target, told], seconds)
        except OSError:
            return Outcome(target, "missing", name="interpreter")
        if code is None:
            return Outcome(target, "hung", seconds=seconds)
        return _outcome(target, told, code)


def interpreter() -> str:
    """The Python of the PATH: this one may live in an environment of its own, without what the training needs."""
    from shutil import which

    return which("python3") or which("python") or sys.executable


def _run(arguments: list[str], seconds: float) -> int | None:
    """The exit code, None when it took longer; the child and what it started are then ended."""
    alone = {"start_new_session": True} if os.name == "posix" else {}
    child = subprocess.Popen(  # noqa: S603 - the caller asks for this import
        arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **alone,  # type: ignore[call-overload]
    )  # fmt: skip
    try:
        code: int = child.wait(seconds)
    except subprocess.TimeoutExpired:
        code = -1
        _end(child)
        return None
    except BaseException:
        _end(child)
        raise
    return code


def _end(child: "subprocess.Popen[bytes]") -> None:
    if os.name == "posix":
        import signal

        os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()
    child.wait()


def _outcome(target: str, told: str, code: int) -> Outcome:
    try:
        with open(told, "rb") as file:
            said = json.loads(file.read(1 << 16))
    except (OSError, ValueError):
        said = {}
    if said.get("how") == "failed":
        return Outcome(target, "failed", str(said["error"]), str(said["name"]), int(said["line"]))
    if said.get("how") == "exited":
        return Outcome(target, "exited", code=int(said["code"]))
    if said.get("how") == "imported":
        return Outcome(target, "imported")
    crashed = code < 0 or code >= 0xC0000000
    return Outcome(target, "crashed" if crashed else "exited", code=-code if code < 0 else code)
