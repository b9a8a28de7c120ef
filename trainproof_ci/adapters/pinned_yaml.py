"""PyYAML for the Action: the pinned wheel, installed aside and only when there is a configuration to read."""

import os
import subprocess
import sys

from trainproof_ci.errors import UsageError

REQUIREMENTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "requirements.txt")
SECONDS = 120


def provide(folder: str) -> None:
    """Install PyYAML into `folder` and put it on the path; the Python of the caller stays as it is.

    Raises `UsageError` when it cannot be installed: a configuration that nobody reads must not pass for none.
    """
    command = [
        sys.executable, "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps",
        "--no-compile", "--require-hashes", "--only-binary", ":all:", "--target", folder, "--requirement", REQUIREMENTS,
    ]  # fmt: skip
    try:
        run = subprocess.run(command, capture_output=True, check=False, timeout=SECONDS, stdin=subprocess.DEVNULL)  # noqa: S603 - fixed arguments, no shell
        failed = run.returncode != 0
    except (OSError, subprocess.TimeoutExpired):
        failed = True
    if failed:
        raise UsageError("the configuration needs PyYAML, and pip could not install it on this runner")
    sys.path.insert(0, folder)
