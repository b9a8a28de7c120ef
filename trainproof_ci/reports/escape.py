"""One escaping function per sink. Everything that came from a file, a file's name or a configuration passes one of these."""

import re

_UNPRINTABLE = "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
_COMMAND = "##(?=\\[)|::"
_LONE_SURROGATE = r"(\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|\\ud[89a-f][0-9a-f]{2}"
_MARKDOWN = r"([\\`*_{}\[\]()<>#+\-.!|~@&$:=^'\"/])"


def plain(text: str) -> str:
    r"""Text whose every character is visible: controls, line breaks, bidirectional and zero-width marks become escapes.

    Bytes of a name that are not UTF-8 (surrogate escapes) show as `\xNN`.
    """
    if text.isascii() and text.isprintable():  # nearly every text, and the pattern is costly to compile
        return text

    def shown(found: re.Match[str]) -> str:
        code = ord(found[0])
        if 0xDC80 <= code <= 0xDCFF:
            return f"\\x{code - 0xDC00:02x}"
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

    return re.sub(_UNPRINTABLE, shown, text)


def terminal(text: str) -> str:
    """For a terminal or a job's log: visible, and no part of it can be read as a workflow command."""
    visible = plain(text)
    if "::" in visible or "##[" in visible:
        visible = re.sub(_COMMAND, lambda found: "\\x23#" if found[0] == "##" else "\\x3a:", visible)
    return "\\x20" + visible[1:] if visible[:1].isspace() else visible


def command_data(text: str) -> str:
    """The message of a workflow command. The old `##[` form is broken too: it is matched anywhere in a line."""
    return plain(text).replace("%", "%25").replace("##[", "#%23[")


def command_property(text: str) -> str:
    """A property of a workflow command (a file, a title): it decodes to the name itself where all of it is visible.

    A name with invisible characters shows them as escapes: its annotation loses the file, the log stays inert.
    """
    encoded = plain(text)
    for character, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"), (":", "%3A"), (",", "%2C")):
        encoded = encoded.replace(character, code)
    return encoded.replace("##[", "#%23[")


def markdown(text: str) -> str:
    """For a job summary: no markup, link, image, mention, issue reference, HTML or table cell can begin in it."""
    return re.sub(_MARKDOWN, lambda found: f"&#{ord(found[0])};", plain(text))


def markdown_code(text: str) -> str:
    """The same inside a code span that a table cell may hold."""
    return f"<code>{markdown(text)}</code>"


def html(text: str) -> str:
    """For HTML text and quoted attribute values, and inert in a job's log."""
    visible = plain(text)
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        visible = visible.replace(character, entity)
    return visible.replace("##[", "&#35;#[")


def uri(path: str) -> str:
    """A relative URI of the exact bytes of a path; a colon is encoded, so that no first segment reads as a scheme."""
    from urllib.parse import quote  # costs as much to import as a small file to judge

    return quote(path.encode("utf-8", "surrogateescape"), safe="/")


def sarif_text(text: str) -> str:
    """A SARIF message: visible text; brackets would begin an embedded link, braces a placeholder."""
    return re.sub(r"([\\\[\]])", r"\\\1", plain(text)).replace("{", "{{").replace("}", "}}")


def json_text(text: str) -> str:
    r"""JSON that was written in ASCII: the old form of a workflow command is broken, nothing else changes.

    Only strings can hold `##[`, and there `\u0023` is the same character.
    """
    return text.replace("##[", "#\\u0023[")


def json_unicode(text: str) -> str:
    """ASCII JSON without lone surrogates, which strict readers refuse: bytes that are not UTF-8 become U+FFFD."""
    return re.sub(_LONE_SURROGATE, lambda found: found[1] or "\\ufffd", text) if "\\ud" in text else text


def output_value(name: str, value: str, delimiter: str) -> str:
    """One entry of GITHUB_OUTPUT; `delimiter` must be random and not part of the value."""
    visible = plain(value)
    if delimiter in visible:
        raise ValueError("the delimiter stands in the value")
    return f"{name}<<{delimiter}\n{visible}\n{delimiter}\n"
