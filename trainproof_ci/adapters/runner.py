"""The runner's side of the Action: outputs, summary and log, each written so that no content can forge another."""

import os
import secrets
import sys
from collections.abc import Mapping

from trainproof_ci.reports.escape import output_value
from trainproof_ci.reports.github import said


class Runner:
    """Where a step puts what it found. `troubles` are the sentences about what could not be put there."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.troubles: list[str] = []

    @property
    def folder(self) -> str:
        """The folder for the files of this run."""
        return os.path.join(
            self._environment.get("RUNNER_TEMP") or ".",
            "trainproof-ci",
            self._environment.get("GITHUB_ACTION", "local"),
        )

    def outputs(self, values: Mapping[str, str]) -> bool:
        """Set step outputs; False, and a trouble, where that is not possible."""
        delimiter = f"trainproof-{secrets.token_hex(16)}"
        text = "".join(output_value(name, value, delimiter) for name, value in values.items())
        return self._append("GITHUB_OUTPUT", text, "the outputs")

    def summary(self, text: str) -> bool:
        """Add to the job summary."""
        return self._append("GITHUB_STEP_SUMMARY", text, "the job summary")

    def _append(self, variable: str, text: str, what: str) -> bool:
        path = self._environment.get(variable)
        if not path:
            self.troubles.append(f"{what} could not be written: {variable} is not set")
            return False
        try:
            with open(path, "ab") as file:
                file.write(text.encode("utf-8", "replace"))
        except OSError as error:
            self.troubles.append(f"{what} could not be written: {error.strerror}")
            return False
        return True

    def log(self, text: str) -> None:
        """Print text that a report has already made inert."""
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.flush()

    def say(self, command: str, sentence: str) -> None:
        """One annotation without a place: `error`, `warning` or `notice`."""
        self.log(said(command, sentence) + "\n")
