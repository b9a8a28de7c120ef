"""The baseline of known findings: written once, keyed by content, so that only new findings count."""

import json
from collections.abc import Mapping

from trainproof_ci.errors import UsageError
from trainproof_ci.model import Report, Severity
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

Known = Mapping[tuple[str, str], frozenset[int]]
"""(rule, path) -> the content keys of the places that are known."""
LARGEST = 64 << 20
COUNTED = frozenset({Severity.FAIL, Severity.WARN})
"""What may be known. That something could not be judged is never set aside."""


def load(data: bytes, name: str) -> Known:
    """Read a baseline. Raises `UsageError` for anything that `written` would not have written."""
    if len(data) > LARGEST:
        raise UsageError(f"{name}: {len(data)} bytes; a baseline holds at most {LARGEST}")
    try:
        document = json.loads(data)
        if document["version"] != 1:
            raise UsageError(f"{name}: version 1 of known findings is read")
        return {_place(entry): frozenset(int(key, 16) for key in entry["keys"]) for entry in document["findings"]}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise UsageError(f"{name}: not a file of known findings; write it with `check --write-known`") from None


def _place(entry: Any) -> tuple[str, str]:
    rule, path = entry["rule"], entry["path"]
    if not isinstance(rule, str) or not isinstance(path, str):
        raise TypeError
    return rule, path.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass")


def written(report: Report) -> bytes:
    """The baseline that makes every finding of `report` a known one: one entry a line, sorted."""
    entries: dict[tuple[str, str], set[int]] = {}
    for target in report.targets:
        for finding in target.findings:
            if finding.severity in COUNTED:
                entries.setdefault((finding.rule, finding.location.path), set()).update(finding.places.keys)
    lines = (_line(rule, path, keys) for (rule, path), keys in sorted(entries.items()))
    return ('{"version": 1, "findings": [\n' + ",\n".join(lines) + "\n]}\n").encode()


def _line(rule: str, path: str, keys: "Iterable[int]") -> str:
    return json.dumps({"rule": rule, "path": path, "keys": [f"{key:016x}" for key in sorted(keys)]})
