"""What is wrong with a text that is not JSON, in words that never quote it."""

import json

_HINTS = {
    "'": "single quotes: a Python repr, not JSON",
    "\u201c": "typographic quotes",
    "\u201d": "typographic quotes",
    "/": "a comment",
    "#": "a comment",
    "T": "a Python literal",
    "F": "a Python literal",
    "N": "a Python literal",
    "}": "a comma or colon with nothing after it",
    "]": "a comma with nothing after it",
    "<": "markup in place of JSON",
}
_MESSAGES = {
    "Expecting ',' delimiter": "a comma is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Expecting property name enclosed in double quotes": "a quoted key is missing",
    "Illegal trailing comma before end of object": "a comma with nothing after it",
    "Illegal trailing comma before end of array": "a comma with nothing after it",
    "Expecting value": "a value is missing",
    "Unterminated string starting at": "a string without end",
    "Invalid \\escape": "a backslash that begins no JSON escape",
    "Invalid \\uXXXX escape": "a \\u without four hex digits",
    "Invalid control character at": "a raw control character inside a string",
}


def described(text: str, error: json.JSONDecodeError) -> str:
    """What is wrong, in words that never quote the text."""
    said = next((ours for theirs, ours in _MESSAGES.items() if error.msg.startswith(theirs)), "not JSON")
    if error.msg.startswith("Expecting"):
        if error.pos >= len(text.rstrip()):
            return "the text ends too early"
        return _HINTS.get(text[error.pos], said)
    return said


def after_value(text: str, at: int) -> str:
    """What follows a whole value, in words that never quote it."""
    if text[at] in "{[":
        return "a second value on the line"
    if text[at] in "/#":
        return "a comment after the value"
    return "a comma after the value" if text[at] == "," else f"{len(text) - at} characters after the value"
