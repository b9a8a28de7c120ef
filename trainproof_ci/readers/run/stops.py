"""What stopped a run: the error that a console log ends in, by its name and never by its message."""

import re

from trainproof_ci.readers.run.facts import Stop

_RAISED = re.compile(
    r"^(?:\[?rank\d+\]?:|E\s|\s*\S{0,40}\|)?\s{0,4}((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Killed))\b(?::\s*(.{0,200}))?"
)
_INTAKE_NAMES = frozenset(
    {
        "JSONDecodeError", "UnicodeDecodeError", "UnicodeError", "FileNotFoundError", "ParserError", "EmptyDataError", "ArrowInvalid",
        "DatasetGenerationError", "DatasetGenerationCastError", "DatasetNotFoundError", "DataFilesNotFoundError", "IsADirectoryError",
        "NotADirectoryError", "ArrowTypeError", "BadZipFile", "UnidentifiedImageError", "ReadError", "HFValidationError", "EOFError", "CastError",
        "UnexpectedRowsError", "NonMatchingSplitsSizesError", "ExpectedMoreSplits",
    }
)  # fmt: skip
_INTAKE = re.compile(
    r"num_samples=0|no (?:such file|data files?|images?|labels?|samples)|empty (?:dataset|data|file|csv)|dataset (?:is empty|not found)|expecting value|extra data"
    r"|codec can't decode|delimiter|error tokenizing|schema|column names|found 0 (?:files|images|samples)|no columns to parse|length of values|couldn't cast",
    re.IGNORECASE,
)
_MEMORY = re.compile(
    r"out of memory|outofmemory|\boom[- ]kill|oom_kill|cannot allocate memory|resource_exhausted|CUBLAS_STATUS_ALLOC_FAILED|unable to allocate|alloc_failed",
    re.IGNORECASE,
)
_CONFIG = re.compile(
    r"unrecognized arguments|invalid choice|error: argument|unexpected keyword argument|no such option|missing \d+ required|the following arguments are required|unknown (?:option|argument|key)"
    r"|could not override|mutually exclusive|invalid (?:config|value for)|not (?:a )?supported|must be (?:specified|set|one of|divisible)|not divisible",
    re.IGNORECASE,
)
_CONFIG_NAMES = frozenset(
    {
        "ConfigKeyError",
        "ConfigAttributeError",
        "HydraException",
        "ValidationError",
        "ScannerError",
        "ArgumentError",
        "MissingMandatoryValue",
        "OverrideParseException",
        "ConfigCompositionException",
    }
)
_BARE = re.compile(
    r"^(?:\S{0,60}: )?(?:line \d+:\s+\d+ )?(?P<killed>Killed|Segmentation fault|Bus error|Aborted)\b|(?P<usage>: error: (?:unrecognized arguments|argument |the following arguments))"
    r"|(?P<oom>(?:slurmstepd|srun): error: .{0,80}oom|CUDA out of memory|torch\.OutOfMemoryError)",
    re.IGNORECASE,
)


class StopFinder:
    """Told every line that may speak of an error, in order; `found` is what the log ends in."""

    def __init__(self) -> None:
        self._traceback = 0
        self.found: Stop | None = None

    def went_on(self) -> None:
        """A training step was logged: whatever happened before did not stop the run."""
        self.found, self._traceback = None, 0

    def see(self, line: str, number: int, *, trained: bool) -> None:
        """Take in a line; `trained` is whether a training step was logged before it."""
        if "Traceback (most recent call last)" in line:
            self._traceback = number
            return
        raised = _RAISED.match(line) if self._traceback else None
        if raised is not None:
            name = raised[1].rsplit(".", 1)[-1]
            self.found = Stop(_kind(name, raised[2] or "", trained=trained), name, number)
            return
        bare = _BARE.search(line)
        if bare is not None:
            kind = (
                "config"
                if bare["usage"]
                else "memory"
                if bare["oom"] or (bare["killed"] or "").lower() == "killed"
                else "crash"
            )
            if self.found is None or kind == "memory":
                self.found = Stop(
                    kind, "usage error" if bare["usage"] else "out of memory" if bare["oom"] else bare["killed"], number
                )


def _kind(name: str, message: str, *, trained: bool) -> str:
    if name == "KeyboardInterrupt":
        return "interrupted"
    if name in {"OutOfMemoryError", "MemoryError", "ResourceExhaustedError"} or _MEMORY.search(message):
        return "memory"
    if not trained and (name in _INTAKE_NAMES or _INTAKE.search(message)):
        return "intake"
    if not trained and (name in _CONFIG_NAMES or _CONFIG.search(message)):
        return "config"
    return "crash"
