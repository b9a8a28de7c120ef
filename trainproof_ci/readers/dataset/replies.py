"""What a server said in place of the data: the body of an error, saved under the name of the file that was asked for."""

import json
import re

from trainproof_ci.patterns import later
from trainproof_ci.readers.source import Head
from trainproof_ci.readers.suffixes import JSON_LINES, words_of
from trainproof_ci.typed import Any

ABOUT = frozenset(
    {
        "error", "errors", "message", "msg", "detail", "details", "title", "error_description", "error_code", "code",
        "status", "statusCode", "status_code", "success", "ok", "type", "documentation_url", "request_id", "requestId",
    }
)  # fmt: skip
"""Keys of the body of an error; with any other it is a record."""
ASKED = frozenset({"path", "url", "timestamp"})
"""Keys that logs have, too: only with a number for the error they are about what was asked for."""
SAID = ("message", "msg", "detail", "title")
CODES = ("status", "statusCode", "status_code", "code")
KEPT = frozenset(
    {"error", "errors", "failed", "failure", "failures", "response", "responses", "replies", "results", "status"}
)
"""Words of the name of a file that is meant to hold errors."""
_REASON = (
    r"(?:not found|too many requests|forbidden|unauthorized|bad request|access denied|permission denied|bad gateway|"
    r"internal server error|service (?:temporarily )?unavailable|gateway time-?out|request time-?out|bad credentials|"
    r"invalid (?:credentials|username or password|token)|rate limit(?: (?:reached|exceeded))?|authentication required)"
)
_FAILED = later("[45][0-9]{2}")
_NUMBERED = later(rf"(?:http(?:/[\d.]+)? |error:? )*[45]\d\d\b[:,\s-]*{_REASON}\b", re.IGNORECASE)
_NAMED = later(
    rf"(?:(?:error:? |(?:entry|repository|file|object|resource|revision|page) ))?{_REASON}(?:[.!]?\s*\Z|[.:,] | for )",
    re.IGNORECASE,
)


def answered(head: Head) -> str | None:
    """What stands in a small file in place of the data, in words; None for data, and for a file meant to hold errors."""
    if not KEPT.isdisjoint(words_of(head.name)):
        return None
    text = head.start.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    if not text.startswith("{"):
        return "the text of an error" if _says_so(text) else None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if value == {}:
        return "an object without keys" if head.suffix in JSON_LINES else None
    return "the body of an error" if isinstance(value, dict) and _is_error(value) else None


def _is_error(value: dict[str, Any]) -> bool:
    failed = any(_FAILED.fullmatch(str(value.get(key))) is not None for key in CODES)
    if not value.keys() <= (ABOUT | ASKED if failed else ABOUT):
        return False
    code = value.get("code")
    if "error" in value or "errors" in value:
        return failed or not isinstance(code, str) or code.isidentifier()
    texts = [value[key] for key in SAID if isinstance(value.get(key), str)]
    return bool(texts) and (failed or "documentation_url" in value or any(map(_says_so, texts)))


def _says_so(text: str) -> bool:
    return _NUMBERED.match(text) is not None or _NAMED.match(text) is not None
