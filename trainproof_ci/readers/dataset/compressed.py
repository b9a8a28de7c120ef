"""JSON in gzip or zstd, lines or an array: decompressed as a stream and judged as what it holds, within bounds."""

import io
import zlib
from collections.abc import Callable, Iterator

from trainproof_ci.errors import Unreadable
from trainproof_ci.places import Location
from trainproof_ci.readers.dataset import json_array, jsonl
from trainproof_ci.readers.dataset.layout import refuse_layout
from trainproof_ci.readers.dataset.record import Record
from trainproof_ci.readers.dataset.whole import refuse_whole
from trainproof_ci.readers.source import HEAD_BYTES, Head, Source
from trainproof_ci.readers.suffixes import PACKED_LINES
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.survey import Survey

FREE = 64 << 20
"""Bytes that may come out whatever went in."""
MOST_RATIO = 200
"""Beyond `FREE`, bytes out for each byte in; text that people write has 3 to 20, a bomb a thousand."""
CHUNK = 1 << 16
PIECE = 512
"""Bytes of zstd given at a time: three of them can mean 128 KiB."""
LARGEST_WINDOW = 1 << 27
FORMATS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
ANY_JSON = (".json.gz", ".json.zst", ".json.zstd")
"""Names that say no more than JSON: what comes out decides."""


def recognise(head: Head) -> str | None:
    """Compressed JSON Lines by name; under a name that says only JSON, lines or an array of records by content."""
    lower = head.name.lower()
    packed = next((name for magic, name in FORMATS.items() if head.start.startswith(magic)), None)
    if lower.endswith(PACKED_LINES):
        return f"jsonl-{packed or ('gzip' if lower.endswith('.gz') else 'zstd')}"
    if packed is None or not lower.endswith(ANY_JSON):
        return None
    inner = _beginning(head)
    name = (jsonl.recognise(inner) or json_array.recognise(inner)) if inner is not None else None
    return f"{name}-{packed}" if name is not None else None


def scan(source: Source, survey: "Survey") -> None:
    """Measure what comes out; places count decompressed bytes."""
    stream = _stream(source)
    start = stream.peek(HEAD_BYTES)[:HEAD_BYTES]
    head = _uncompressed(source.path, start, len(start) if len(start) < HEAD_BYTES else source.size * MOST_RATIO)
    refuse_whole(head)
    if json_array.recognise(head):
        json_array.survey_array(head, stream, survey)
        return
    refuse_layout(head, stream)
    survey.settle(jsonl.sample(head))
    examiner = jsonl.Examiner(survey)
    jsonl.survey_range(stream, survey, examiner, 0, None)
    examiner.finish()


def records(path: str) -> Iterator[Record]:
    """The records again, without their faults."""
    with Source(path) as source:
        stream = _stream(source)
        start = stream.peek(HEAD_BYTES)[:HEAD_BYTES]
        array = json_array.recognise(_uncompressed(path, start, len(start)))
        yield from json_array.records_of(stream) if array else jsonl.records_of(stream)


def _uncompressed(path: str, start: bytes, size: int) -> Head:
    """The head of what comes out, under the name that it has without compression: content is held against that."""
    return Head(path, start, size, path.rsplit("/", 1)[-1].rsplit(".", 1)[0])


def _beginning(head: Head) -> Head | None:
    """The head of what comes out of the head of a compressed file; None where it cannot be told."""
    try:
        begin, most = _packing(head.start, head.path)
        part, out = begin(), b""
        pieces = (head.start[at : at + most] for at in range(0, len(head.start), most))
        while len(out) < HEAD_BYTES and not part.eof and (piece := next(pieces, b"")):
            out += part.decompress(piece, HEAD_BYTES)
    except (zlib.error, Unreadable):
        return None
    whole = head.whole and len(out) < HEAD_BYTES
    return _uncompressed(head.path, out[:HEAD_BYTES], len(out) if whole else head.size * MOST_RATIO)


def _stream(source: Source) -> io.BufferedReader:
    magic = source.file.read(4)
    if not magic.startswith(tuple(FORMATS)):
        raise _broken(source, "the file is named like compressed data and is none", "neither gzip nor zstd data")
    source.file.seek(0)
    return io.BufferedReader(_Expanded(source, *_packing(magic, source.path)), HEAD_BYTES)


def _packing(magic: bytes, path: str) -> tuple[Callable[[], Any], int]:
    """What begins a part of the compressed data, and how many bytes it is given at a time."""
    return (_gzip, CHUNK) if magic.startswith(b"\x1f\x8b") else (_zstd(path), PIECE)


def _gzip() -> Any:
    return zlib.decompressobj(31)


def _zstd(path: str) -> Callable[[], Any]:
    """What begins a frame of zstd; it refuses windows beyond 128 MiB."""
    try:
        import zstandard
    except ImportError:
        raise Unreadable(
            "zstd needs an extra: pip install 'trainproof-ci[zstd]'",
            rule="TP-FILE-UNSUPPORTED", measured="zstd data, zstandard not installed", limit="zstandard",
            location=Location(path, line=1),
        ) from None  # fmt: skip

    def begun() -> Any:
        return _Frame(zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW).decompressobj(), zstandard.ZstdError)

    return begun


class _Frame:
    """A frame of zstd with the interface of a gzip member."""

    unconsumed_tail = b""

    def __init__(self, frame: Any, error: type[Exception]) -> None:
        self._frame, self._error = frame, error

    def decompress(self, data: bytes, most: int) -> bytes:
        """All that comes out of a few bytes; the caller gives so few that it is not much."""
        del most
        try:
            out: bytes = self._frame.decompress(data)
        except self._error as error:
            raise zlib.error(str(error)) from None
        return out

    @property
    def eof(self) -> bool:
        """Whether the frame is whole."""
        return bool(self._frame.eof)

    @property
    def unused_data(self) -> bytes:
        """What follows the frame."""
        return bytes(self._frame.unused_data)


class _Expanded(io.RawIOBase):
    """The decompressed bytes of a source, counted: what expands without measure is not followed."""

    def __init__(self, source: Source, begin: Callable[[], Any], piece: int) -> None:
        self._source, self._begin, self._piece = source, begin, piece
        self._part = begin()
        self._pending = self._ready = b""
        self._total = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes."""
        while len(self._ready) < len(buffer):
            data = self._pending or self._source.file.read(self._piece)
            if not data:
                if not self._part.eof:
                    raise _broken(self._source, "the compressed data ends too early", f"cut after {self._total} bytes")
                break
            self._ready += self._expanded(data)
        taken = self._ready[: len(buffer)]
        self._ready = self._ready[len(taken) :]
        buffer[: len(taken)] = taken
        return len(taken)

    def _expanded(self, data: bytes) -> bytes:
        if self._part.eof:
            if not data.strip(b"\0"):  # blocks of a tape are filled up with NUL
                self._pending = b""
                return b""
            self._part = self._begin()
        try:
            out: bytes = self._part.decompress(data, CHUNK * 4)
        except zlib.error:
            raise _broken(
                self._source, "the compressed data is damaged", f"damaged after {self._total} bytes"
            ) from None
        self._pending = self._part.unused_data if self._part.eof else self._part.unconsumed_tail
        self._total += len(out)
        if self._total > FREE and self._total > MOST_RATIO * self._source.file.tell():
            raise Unreadable(
                "the file expands without measure and is not followed",
                measured=f"more than {MOST_RATIO} bytes out for each byte in", limit=f"≤ {MOST_RATIO}",
                location=Location(self._source.path, line=1),
            )  # fmt: skip
        return out


def _broken(source: Source, why: str, measured: str) -> Unreadable:
    return Unreadable(
        why,
        rule="TP-FILE-NOT-DATA",
        measured=measured,
        limit="whole compressed data",
        location=Location(source.path, line=1),
    )
