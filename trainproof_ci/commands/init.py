"""`init`: a starter configuration and a workflow, never over a file that is there."""

import argparse
import os
import sys

from trainproof_ci import __version__

CONFIGURATION = """\
# trainproof-ci: https://github.com/trainproof-ci/trainproof-ci
version: 1
# exclude: ["third_party/**"]
# datasets:
#   - files: "data/*.jsonl"
#     split: train
# splits:
#   - {train: data/train.jsonl, eval: data/eval.jsonl}
# runs:
#   - files: "runs/**/trainer_state.json"
"""
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
FILES = {".trainproof.yml": CONFIGURATION, ".github/workflows/trainproof.yml": WORKFLOW}


def configure(parser: argparse.ArgumentParser) -> None:
    """No arguments."""
    del parser


def run(arguments: argparse.Namespace) -> int:
    """Write each file that is not there, and say what was done."""
    del arguments
    from trainproof_ci.adapters.files import write_atomically

    for path, text in FILES.items():
        if os.path.lexists(path):
            sys.stdout.write(f"{path} is there and stays as it is\n")
            continue
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        write_atomically(path, text.encode())
        sys.stdout.write(f"{path} written\n")
    return 0
