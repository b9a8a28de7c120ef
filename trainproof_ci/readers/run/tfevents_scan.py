"""From an event file to a column a tag. Every record after the second of its kind costs one look-up.

Between the step and the value, the bytes of all events of a tag are the same; so an event is parsed in full until its
tag was seen twice, and from then on recognised by those bytes. The length that begins a record repeats as well: each
distinct one has its checksum computed once, and with that the framing of every record is checked.
"""

from array import array
from collections.abc import Callable
from sys import byteorder

from trainproof_ci.readers.run.facts import Damage
from trainproof_ci.readers.run.tfevents_checksum import masked
from trainproof_ci.readers.run.tfevents_event import Scalar, parse
from trainproof_ci.readers.run.tfevents_framing import CHECKSUM, FOOTER, HEADER, LARGEST_PARSED, Window
from trainproof_ci.readers.run.tfevents_wire import Malformed, signed, varint
from trainproof_ci.typed import BinaryIO

MOST_KEYS = 1 << 17
"""Layouts that are remembered; a file that makes up more is parsed in full, not wrongly."""
MOST_BAD = 1000
"""Damaged records that are kept one by one; more of them are counted."""
WIDTHS = {"f": 4, "d": 8}


class Column:
    """The scalars of one tag in the order of the file; `places` are the byte offsets of their records."""

    __slots__ = ("code", "files", "places", "steps", "values")

    def __init__(self, code: str) -> None:
        self.code = code or "d"
        self.files: array[int] = array("H")
        self.steps: array[float] = array("d")
        self.places: array[int] = array("q")
        self.values: array[float] = array(self.code)


Sink = tuple[Callable[[float], None], Callable[[int], None], Callable[[bytes], None], int, bytes]
"""What appends to a column's steps, places and values, the width of a value, and the bytes that follow it."""


class Scan:
    """Reads one event file; afterwards `columns`, `bad`, `cut`, and what was counted."""

    def __init__(
        self, file: BinaryIO, size: int, checksum: Callable[[bytes], int] | None, columns: dict[bytes, Column]
    ) -> None:
        self.window = Window(file, size)
        self.checksum = checksum
        self.columns = columns
        self.bad: list[Damage] = []
        self.cut: int | None = None
        self.records = self.others = self.unread = 0
        self.longest = 0
        self._known: dict[bytes, Sink] = {}
        self._tails: dict[bytes, int] = {}

    def run(self) -> None:
        """Read to the end of the file, or to where nothing can be read any more."""
        at: int | None = 0
        while at is not None:
            at = self._stumble(self._stride(at))

    def _stride(self, at: int) -> int:  # noqa: C901, PLR0912 - a call for each record would double the time
        """Read records from `at` on as long as they are whole, in memory and intact; returns where it stopped."""
        # Longer than a function should be: it runs half a million times a file, and split in two it takes twice as long.
        window, checksum, event = self.window, self.checksum, self._event
        data, base = window.data, window.base
        lengths, known, tails, stored = window.lengths.get, self._known.get, self._tails.get, CHECKSUM.unpack_from
        last = len(data)
        count = 0
        while True:
            header = data[at : at + 12]
            length = lengths(header)
            if length is None:
                length = window.length(header) if len(header) == 12 else None
                if length is None:
                    break
            body = at + 12
            stop = body + length
            if stop + 4 > last:
                break
            if checksum is not None:
                crc = checksum(data[body:stop])  # masked by hand: a call would cost as much as the checksum
                if ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF != stored(data, stop)[0]:
                    break
            count += 1
            if length > 14 and data[body] == 0x09 and data[body + 9] == 0x10:
                step = data[body + 10]
                rest = body + 11
                if step > 0x7F:
                    more = data[rest]
                    if more < 0x80:
                        step = (step & 0x7F) | more << 7
                        rest += 1
                    elif data[rest + 1] < 0x80:
                        step = (step & 0x7F) | (more & 0x7F) << 7 | data[rest + 1] << 14
                        rest += 2
                    else:
                        step, rest = _long_step(data, rest - 1, stop)
                value = stop - tails(header, 4)
                sink = known(data[rest:value])
                if sink is not None:
                    append_step, append_place, append_value, width, suffix = sink
                    end = value + width
                    if end <= stop and data[end:stop] == suffix:
                        append_step(step)
                        append_place(base + at)
                        append_value(data[value:end])
                        at = stop + 4
                        continue
            event(data, at, body, stop)
            at = stop + 4
        self.records += count
        return at

    def _event(self, data: bytes, at: int, body: int, stop: int) -> None:
        """Parse a record in full, and remember the layout of a tag that was seen before."""
        place = self.window.base + at
        try:
            event = parse(data, body, stop)
        except Malformed as wrong:
            self.records -= 1
            self._note(str(wrong), place)
            return
        self.others += event.others
        self.longest = max(self.longest, stop - body)
        for scalar in event.scalars:
            column = self._column(scalar)
            column.steps.append(event.step)
            column.places.append(place)
            column.values.append(scalar.value)
        if event.plain:
            self._remember(event.scalars[0], data, body, stop)

    def _column(self, scalar: Scalar) -> Column:
        column = self.columns.get(scalar.tag)
        if column is None:
            column = self.columns[scalar.tag] = Column(scalar.code)
        elif column.code == "f" and scalar.code != "f":
            # the array changes with its type, and what appends to the old one must go
            column.code, column.values = "d", array("d", column.values)
            self._known.clear()
        return column

    def _remember(self, scalar: Scalar, data: bytes, body: int, stop: int) -> None:
        """Keep the bytes around the value of a tag that was seen before: from now on they stand for it."""
        column = self.columns[scalar.tag]
        if column.code != scalar.code or len(column.places) < 2 or byteorder == "big":
            return
        if data[body] != 0x09 or data[body + 9] != 0x10:
            return
        if len(self._known) < MOST_KEYS:
            _, rest = varint(data, body + 10, stop)
            end = scalar.at + WIDTHS[scalar.code]
            appends = column.steps.append, column.places.append, column.values.frombytes
            self._known[data[rest : scalar.at]] = (*appends, end - scalar.at, data[end:stop])
            self._tails[data[body - HEADER : body]] = stop - scalar.at

    def _stumble(self, at: int) -> int | None:
        """What to do where the stride stopped: read more, pass over damage, or end. Returns where to go on."""
        window = self.window
        at = window.hold(at, HEADER)
        if len(window.data) - at < HEADER:
            if len(window.data) > at:
                self.cut = window.base + at
            return None
        length = window.length(window.data[at : at + HEADER])
        if length is None:
            return self._lost(at)
        whole = HEADER + length + FOOTER
        if window.base + at + whole > window.size:
            self.cut = window.base + at
            return None
        if length > LARGEST_PARSED:
            self.unread += 1
            return window.skip(at, whole)
        at = window.hold(at, whole)
        stop = at + HEADER + length
        if self.checksum is None or masked(self.checksum(window.data[at + HEADER : stop])) == _expected(
            window.data, stop
        ):
            return at
        self._note("a record whose checksum does not fit its content", window.base + at)
        return at + whole

    def _lost(self, at: int) -> int | None:
        """Past a record whose length cannot be trusted, to the next one that is intact."""
        window = self.window
        place = window.base + at
        if window.only_zeros(at):
            self.cut = place
            return None
        found = window.next_record(at + 1)
        if found is None:
            rest = window.size - place
            one = rest <= HEADER + self.longest + FOOTER
            self._note("a record whose length cannot be trusted", place, rest_lost=not one)
            return None
        self._note("a record whose length cannot be trusted", place)
        return found

    def _note(self, what: str, place: int, *, rest_lost: bool = False) -> None:
        if len(self.bad) < MOST_BAD or rest_lost:
            self.bad.append(Damage(what, place, 1, rest_lost))
        else:
            self.bad[-1] = self.bad[-1]._replace(records=self.bad[-1].records + 1)


def _expected(data: bytes, stop: int) -> int:
    checksum: int = CHECKSUM.unpack_from(data, stop)[0]
    return checksum


def _long_step(data: bytes, at: int, stop: int) -> tuple[int, int]:
    """A step of more than three bytes; one that is no number at all is left to the full parse."""
    try:
        value, rest = varint(data, at, stop)
    except Malformed:
        return 0, stop
    return signed(value), rest
