"""Run the tests in an environment of their own: `python3 tests/run.py [PYTEST ARGUMENTS]`.

What the tests need is installed into a cache folder, never into the Python that runs this, and only when it changed.
"""

import os
import subprocess
import sys
from hashlib import sha256

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
HOME = os.environ.get("TRAINPROOF_TESTS_HOME") or os.path.join(CACHE, "trainproof-ci", f"tests-{VERSION}")
EXTRA = os.environ.get("TRAINPROOF_TESTS_EXTRA", "")
BINARIES = os.path.join(HOME, "Scripts" if os.name == "nt" else "bin")
PYTHON = os.path.join(BINARIES, "python")
NO_VENV = """\
This Python cannot create a virtual environment. On Debian and Ubuntu:
    apt-get install python3-venv
or install virtualenv (`pipx install virtualenv`), then run this again."""


def fingerprint() -> str:
    """What the environment was made from; the tree it points into is part of it."""
    digest = sha256(f"{sys.version}\0{ROOT}".encode())
    for name in filter(None, ("pyproject.toml", EXTRA)):
        with open(os.path.join(ROOT, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def create() -> None:
    """Make an empty environment, with `venv` or with `virtualenv`."""
    for module in ("venv", "virtualenv"):
        if subprocess.run([sys.executable, "-m", module, HOME], capture_output=True, check=False).returncode == 0:
            return
    sys.exit(NO_VENV)


def prepare() -> None:
    """Install what the tests need, unless that is done."""
    stamp = os.path.join(HOME, "ready")
    if os.path.exists(stamp):
        with open(stamp, encoding="ascii") as file:
            if file.read() == fingerprint():
                return
    create()
    sys.stderr.write(f"installing what the tests need into {HOME}\n")
    wanted = ["-e", f"{ROOT}[test]", *(["-r", os.path.join(ROOT, EXTRA)] if EXTRA else [])]
    subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted], check=True)
    with open(stamp, "w", encoding="ascii") as file:
        file.write(fingerprint())


def main() -> int:
    """Prepare, then hand everything to pytest."""
    if sys.version_info < (3, 10):  # noqa: UP036 - this file is run by whatever Python there is
        sys.exit("Python 3.10 or newer is needed")
    prepare()
    if sys.argv[1:] == ["--prepare"]:
        return 0
    path = os.pathsep.join([BINARIES, os.environ.get("PATH", "")])
    command = [PYTHON, "-m", "pytest", *sys.argv[1:]]
    return subprocess.run(command, cwd=ROOT, check=False, env={**os.environ, "PATH": path}).returncode


if __name__ == "__main__":
    sys.exit(main())
