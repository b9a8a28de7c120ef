"""`init`: a starter configuration that names what is here, and a workflow; never over a file that is there."""

import argparse
import os
import sys
from types import SimpleNamespace

from trainproof_ci import __version__

WORKFLOW = f"""\
name: trainproof
on:
  pull_request:
  push:
    branches: [main]
permissions: {{}}
jobs:
  trainproof:
    runs-on: ubuntu-latest
    permissions:
      contents: read
      checks: write # for the neutral check run; without it the job summary says what could not be judged
      pull-requests: read # for the list of changed files where the history is not in the checkout
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
          lfs: true # without it LFS files are pointers, and NOT-CHECKED
      - uses: trainproof-ci/trainproof-ci@v{__version__}
"""
CONFIGURATION_AT, WORKFLOW_AT = ".trainproof.yml", ".github/workflows/trainproof.yml"


def configure(parser: argparse.ArgumentParser) -> None:
    """No arguments."""
    del parser


def run(arguments: SimpleNamespace) -> int:
    """Look at what there is, write each file that is not there, and say what was found and done."""
    del arguments
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import find
    from trainproof_ci.starter import configuration, found

    targets = find(["."], Settings())
    sys.stdout.write(f"found {found(targets) or 'nothing that is judged here yet'}\n")
    _write(CONFIGURATION_AT, configuration(targets))
    _write(WORKFLOW_AT, WORKFLOW)
    return 0


def _write(path: str, text: str) -> None:
    from trainproof_ci.adapters.files import write_atomically

    if os.path.lexists(path):
        sys.stdout.write(f"{path} is there and stays as it is\n")
        return
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    write_atomically(path, text.encode())
    sys.stdout.write(f"{path} written\n")
