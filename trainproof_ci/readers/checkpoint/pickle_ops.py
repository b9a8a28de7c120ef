"""The opcodes of pickle, protocols 0 to 5, as bytes: which argument follows each and what it does to the stack."""

import struct

from trainproof_ci.typed import NamedTuple

LONGEST_LINE = 1 << 16


class Malformed(Exception):  # noqa: N818 - a state of the bytes
    """The bytes are no pickle, or one that breaks off, at `offset`."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.reason, self.offset = reason, offset


class Endless(Malformed):
    """The pickle is larger than is walked; nothing is wrong with it that is known."""


class Op(NamedTuple):
    """An opcode: `argument` says how its argument is written, `action` what the walker does with it."""

    argument: str
    action: str


OPS: dict[int, Op] = {
    ord(code): Op(argument, action)
    for code, argument, action in (
        ("\x80", "u1", "protocol"), ("\x95", "u8", "nothing"), (".", "", "stop"),
        ("(", "", "mark"), ("0", "", "pop"), ("1", "", "pop_mark"), ("2", "", "dup"),
        ("N", "", "none"), ("\x88", "", "true"), ("\x89", "", "false"),
        ("I", "line", "decimal"), ("J", "i4", "push"), ("K", "u1", "push"), ("M", "u2", "push"),
        ("L", "line", "decimal"), ("\x8a", "long1", "push"), ("\x8b", "long4", "push"),
        ("F", "line", "opaque"), ("G", "f8", "push"),
        ("S", "line", "quoted"), ("T", "bytes4", "push"), ("U", "bytes1", "push"),
        ("B", "bytes4", "push"), ("C", "bytes1", "push"), ("\x8e", "bytes8", "push"), ("\x96", "bytes8", "opaque"),
        ("\x97", "", "opaque"), ("\x98", "", "nothing"),
        ("V", "line", "text"), ("X", "text4", "push"), ("\x8c", "text1", "push"), ("\x8d", "text8", "push"),
        ("]", "", "empty_list"), ("}", "", "empty_dict"), (")", "", "empty_tuple"), ("\x8f", "", "empty_set"),
        ("a", "", "append"), ("e", "", "appends"), ("l", "", "make_list"), ("d", "", "make_dict"),
        ("s", "", "set_item"), ("u", "", "set_items"), ("\x90", "", "add_items"), ("\x91", "", "frozen_set"),
        ("t", "", "make_tuple"), ("\x85", "", "tuple1"), ("\x86", "", "tuple2"), ("\x87", "", "tuple3"),
        ("g", "line", "get"), ("h", "u1", "get"), ("j", "u4", "get"),
        ("p", "line", "put"), ("q", "u1", "put"), ("r", "u4", "put"), ("\x94", "", "memoize"),
        ("c", "lines", "global_"), ("\x93", "", "stack_global"), ("i", "lines", "instance"), ("o", "", "object_"),
        ("\x82", "u1", "opaque"), ("\x83", "u2", "opaque"), ("\x84", "i4", "opaque"),
        ("R", "", "reduce"), ("b", "", "build"), ("\x81", "", "new_object"), ("\x92", "", "new_object_ex"),
        ("P", "line", "persistent_line"), ("Q", "", "persistent"),
    )
}  # fmt: skip

WEIGHTS_ONLY = frozenset(b"\x80.(N\x88\x89JKM\x8aGUX])}\x8faesut\x85\x86\x87hjqrcRb\x81Q")
"""The opcodes that `torch.load(weights_only=True)` takes; it refuses a pickle with any other."""

_FIXED = {"u1": ("<B", 1), "u2": ("<H", 2), "i4": ("<i", 4), "u4": ("<I", 4), "u8": ("<Q", 8), "f8": (">d", 8)}
_COUNTED = {
    "bytes1": "u1",
    "bytes4": "u4",
    "bytes8": "u8",
    "text1": "u1",
    "text4": "u4",
    "text8": "u8",
    "long1": "u1",
    "long4": "u4",
}


def argument_at(data: bytes, place: int, kind: str) -> tuple[object, int]:
    """The argument of kind `kind` at `place`, and the offset behind it. Raises `Malformed`."""
    try:
        if kind in _FIXED:
            form, width = _FIXED[kind]
            return struct.unpack_from(form, data, place)[0], place + width
        if kind == "line":
            return _line(data, place)
        if kind == "lines":
            module, place = _line(data, place)
            name, place = _line(data, place)
            return (module.decode("utf-8", "replace"), name.decode("utf-8", "replace")), place
        form, width = _FIXED[_COUNTED[kind]]
        length = struct.unpack_from(form, data, place)[0]
    except struct.error:
        raise Malformed("it breaks off inside an opcode", place) from None
    return _counted(data, place + width, length, kind)


def _counted(data: bytes, place: int, length: int, kind: str) -> tuple[object, int]:
    end = place + length
    if end > len(data):
        raise Malformed("it breaks off inside a string", place)
    raw = data[place:end]
    if kind.startswith("long"):
        if length > 1024:
            raise Malformed("it holds a number of more than 1024 bytes", place)
        return int.from_bytes(raw, "little", signed=True), end
    if kind.startswith("text"):
        try:
            return raw.decode("utf-8", "surrogatepass"), end
        except UnicodeDecodeError:
            raise Malformed("a string in it is no UTF-8", place) from None
    return raw, end


def _line(data: bytes, place: int) -> tuple[bytes, int]:
    end = data.find(b"\n", place, place + LONGEST_LINE)
    if end < 0:
        raise Malformed("it breaks off inside a line", place)
    return data[place:end], end + 1
