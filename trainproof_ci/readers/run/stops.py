"""What stopped a run: the error that a console log ends in, by its name and never by its message."""

import builtins
import re
from math import isnan, nan

from trainproof_ci.patterns import later
from trainproof_ci.places import safe_key
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
_OTHER_NAMES = frozenset(
    {
        "OutOfMemoryError",
        "ResourceExhaustedError",
        "ChildFailedError",
        "ProcessExitedException",
        "DistBackendError",
        "ProcessRaisedException",
    }
)
_SIGNALS = {"已杀死": "killed", "段错误": "segmentation fault"}
_BARE = later(
    # the word of a signal as a shell prints it: alone, or with its number, or far in front of the command; not `Killed workers: 0`
    r"^(?:\S{0,60}: )?(?:line \d+:\s+\d+ )?(?P<signal>Killed|Segmentation fault|Bus error|Aborted|Floating point exception|Illegal instruction|Terminated|已杀死|段错误)"
    r"(?=\W*$|\s{2}|\s*\(|:\s*[1-9]\d?$|\s(?:by|at|process)\b)"
    r"|(?P<usage>: error: (?:unrecognized arguments|argument |the following arguments)|^\W{0,8}(?:x\W{1,4})?invalid config override)"
    r"|(?P<oom>(?:slurmstepd|srun): error: .{0,80}oom|CUDA out of memory|torch\.OutOfMemoryError|^MemoryError\s*$|^Out of memory on device|^THCudaCheck FAIL .{0,200}out of memory"
    r"|PBS: job killed: v?mem\b|^TERM_MEMLIMIT\b|exits with return code = -9\b)"
    r"|(?P<fatal>^terminate called after throwing|^Fatal Python error: |^Exception in thread \"main\"|^ERROR: LoadError|^ERROR \(|Watchdog caught collective operation timeout|^AssertionError\s*$"
    r"|^Execution halted|^(?-i:panic: )|^\s*throw new \w*Error\b|^stack traceback:|^Error using \S{1,80} \(line \d+\)|^FatalError: .{1,60} is detected by the operating system"
    r"|exits with return code = -?[1-9]|^Command exited with non-zero status)"
    r"|(?P<limit>PBS: job killed: |^TERM_RUNLIMIT\b)"
    r"|(?P<stopped>loss is (?:nan|inf|-inf)\w*, stopping training|(?:invalid|non-finite|nan) loss, (?:terminating|ending|stopping) training|returned nan values in its \d+th output)"
    r"|(?P<by_hand>\^C\s*$|Detected KeyboardInterrupt\b|^TERM_OWNER\b)"
    r"|(?P<cancelled>(?:slurmstepd|srun)\S{0,60}: error: .{0,120} CANCELLED AT \S{1,40}(?: DUE TO (?P<due>TIME LIMIT|PREEMPTION|NODE FAILURE))?)",
    re.IGNORECASE,
)
_ALONE = {
    "usage": ("config", "usage error"), "oom": ("memory", "out of memory"), "fatal": ("crash", "a fatal error"),
    "limit": ("crash", "a limit of the scheduler"), "stopped": ("crash", "a loss that is not finite"), "by_hand": ("interrupted", "a signal"),
}  # fmt: skip
"""What the lines say that end a log without a traceback."""
_KINDS = {"killed": "memory", "terminated": "interrupted"}
"""What a signal speaks of; the others of a crash."""


_AT_EXIT = ("Exception ignored in", "Error in atexit._run_exitfuncs")
LONGEST_CHAIN = 300
"""Lines: errors closer together than this are one chain, as when a launcher reports what its worker raised."""
LONGEST_FAREWELL = 60
"""Lines that may follow the last error of a log that ends in it."""
_SAYS = {"interrupted": 0, "crash": 1, "config": 2, "intake": 3, "memory": 4}


class StopFinder:
    """Told every line that may speak of an error, in order; `found` is what the log ends in so far."""

    def __init__(self) -> None:
        self._traceback = self._since = 0
        self._ignored = False
        self._reached = (nan, nan)
        self.latest = 0
        """The line that spoke of an error last."""
        self.found: Stop | None = None

    def at_end(self, last_line: int) -> Stop | None:
        """What the log ends in; an error with much behind it is not the end."""
        return self.found if last_line - self.latest <= LONGEST_FAREWELL else None

    def progress(self, step: float = nan, epoch: float = nan, times: int = 1) -> None:
        """A loss was logged, so many times. At a later step than the error it did not stop the run; without steps the second one says so."""
        if self.found is None:
            return
        self._since += times
        unknown = isnan(step) and isnan(epoch)
        if (unknown and self._since > 1) or any(map(_is_later, (step, epoch), self._reached)):
            self.found, self._traceback = None, 0

    def is_told(self, line: str) -> bool:
        """Whether a line belongs to the error or to a summary behind it: a line of source text is no training."""
        unnamed = self.found is not None and self.found.error == "an error without a name"
        return (unnamed and line[:1] in {" ", "\t"}) or (self.found is not None and line.startswith("wandb:"))

    def see(self, line: str, number: int, *, trained: bool, at: tuple[float, float] = (nan, nan)) -> None:
        """Take in a line; `trained` is whether a training step was logged before it, `at` the step and epoch reached."""
        before = self.latest
        self._see(line, number, trained=trained)
        if self.latest != before:
            self._since, self._reached = 0, at

    def _see(self, line: str, number: int, *, trained: bool) -> None:
        if any(sign in line for sign in _AT_EXIT):  # what is cleared away while the interpreter ends
            self._ignored = True
            return
        if "Traceback (most recent call last)" in line:
            if self._ignored:
                self._ignored, self._traceback = False, 0
                return
            self._traceback = number
            self._keep(Stop("crash", "an error without a name", number))
            return
        raised = _RAISED.match(line) if self._traceback else None
        if raised is not None:
            name = raised[1].rsplit(".", 1)[-1]
            self._keep(Stop(_kind(name, raised[2] or "", trained=trained), _shown(name), number))
            return
        bare = _BARE.search(line)
        if bare is not None:
            self._keep(_bare_stop(bare, number))

    def _keep(self, stop: Stop) -> None:
        """Of a chain of errors the one that says most, and of equals the first: what follows is mostly its echo."""
        before = self.found
        self.latest = stop.line
        if (
            before is None
            or before.error == "an error without a name"
            or stop.line - before.line > LONGEST_CHAIN
            or _SAYS[stop.kind] > _SAYS[before.kind]
        ):
            self.found = stop


def _is_later(now: float, before: float) -> bool:
    return now > before or (isnan(before) and not isnan(now))


def _bare_stop(bare: "re.Match[str]", number: int) -> Stop:
    for group, (kind, error) in _ALONE.items():
        if bare[group]:
            return Stop(kind, error, number)
    if bare["cancelled"]:
        due = bare["due"]
        return Stop("crash", f"cancelled, {due.lower()}", number) if due else Stop("interrupted", "cancelled", number)
    word = _SIGNALS.get(bare["signal"], bare["signal"].lower())
    return Stop(_KINDS.get(word, "crash"), word, number)


def _shown(name: str) -> str:
    """The name of an exception as a report may print it: those of Python and of the trainers whole, others as any key."""
    known = name in _INTAKE_NAMES or name in _CONFIG_NAMES or name in _OTHER_NAMES or hasattr(builtins, name)
    return name if known else safe_key(name)


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
