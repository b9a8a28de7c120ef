"""Event files: both encodings, every numeric type, framing and content checksums, cuts, damage, several files."""

import struct
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import event_files as ef
import pytest
from conftest import needs_module
from hypothesis import given, settings
from hypothesis import strategies as st

from trainproof_ci.config import Settings
from trainproof_ci.discovery import Target, find
from trainproof_ci.errors import Unreadable
from trainproof_ci.readers.run import read, tfevents, tfevents_event, tfevents_framing, tfevents_scan
from trainproof_ci.readers.run.facts import Reading
from trainproof_ci.readers.run.tfevents_checksum import accelerator, crc32c, masked
from trainproof_ci.readers.run.tfevents_scan import Scan
from trainproof_ci.readers.run.tfevents_wire import Malformed
from trainproof_ci.readers.source import Head, Source

NAME = "events.out.tfevents.1700000000.host.1.0"


def scanned(data: bytes, checksum: Callable[[bytes], int] | None = crc32c) -> Scan:
    scan = Scan(BytesIO(data), len(data), checksum, {})
    scan.run()
    return scan


def values(scan: Scan) -> dict[str, list[tuple[float, float]]]:
    return {tag.decode(): list(zip(column.steps, column.values, strict=True)) for tag, column in scan.columns.items()}


def reading(*files: bytes) -> Reading:
    paths = [f"{NAME}{i}" for i in range(len(files))]
    for path, data in zip(paths, files, strict=True):
        Path(path).write_bytes(data)
    members = tuple(paths) if len(paths) > 1 else ()
    with Source(paths[0]) as source:
        return tfevents.read(source, Target(paths[0], "run", "tensorboard", members=members))


def test_crc32c_is_the_one_of_rfc_3720() -> None:
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(b"123456789") == 0xE3069283


def test_the_accelerator_computes_the_same() -> None:
    needs_module("google_crc32c")
    compute = accelerator()
    assert compute is not None
    assert [compute(data) for data in (b"", b"a", bytes(1000))] == [crc32c(data) for data in (b"", b"a", bytes(1000))]


def test_every_point_has_its_step_and_the_offset_of_its_record() -> None:
    scan = scanned(ef.event_file("loss", [3.0, 2.0, 1.0]))
    assert values(scan) == {"loss": [(10, 3.0), (20, 2.0), (30, 1.0)]}
    size = len(ef.record(ef.event(10, ("loss", ef.simple(1)))))
    first = len(ef.version())
    assert list(scan.columns[b"loss"].places) == [first, first + size, first + 2 * size]


@pytest.mark.parametrize(
    ("dtype", "content", "expected"),
    [
        pytest.param(1, ef.field(5, struct.pack("<f", 1.5)), 1.5, id="float_val packed"),
        pytest.param(1, b"\x2d" + struct.pack("<f", 1.5), 1.5, id="float_val"),
        pytest.param(1, ef.field(4, struct.pack("<f", 1.5)), 1.5, id="float content"),
        pytest.param(2, ef.field(6, struct.pack("<d", 0.1)), 0.1, id="double_val packed"),
        pytest.param(2, b"\x31" + struct.pack("<d", 0.1), 0.1, id="double_val"),
        pytest.param(2, ef.field(4, struct.pack("<d", 0.1)), 0.1, id="double content"),
        pytest.param(3, ef.field(7, ef.varint(-7)), -7.0, id="int_val packed"),
        pytest.param(3, ef.number_field(7, 900), 900.0, id="int_val"),
        pytest.param(3, ef.field(4, struct.pack("<i", -900)), -900.0, id="int32 content"),
        pytest.param(4, ef.field(4, b"\xc8"), 200.0, id="uint8 content"),
        pytest.param(5, ef.field(4, struct.pack("<h", -5)), -5.0, id="int16 content"),
        pytest.param(6, ef.field(4, b"\xff"), -1.0, id="int8 content"),
        pytest.param(9, ef.field(10, ef.varint(1 << 40)), float(1 << 40), id="int64_val"),
        pytest.param(9, ef.field(4, struct.pack("<q", -(1 << 40))), -float(1 << 40), id="int64 content"),
        pytest.param(10, ef.number_field(11, 1), 1.0, id="bool_val"),
        pytest.param(14, ef.number_field(13, 0x3FC0), 1.5, id="bfloat16 half_val"),
        pytest.param(14, ef.field(4, b"\xc0\x3f"), 1.5, id="bfloat16 content"),
        pytest.param(17, ef.field(4, struct.pack("<H", 65535)), 65535.0, id="uint16 content"),
        pytest.param(19, ef.number_field(13, 0x3E00), 1.5, id="half half_val"),
        pytest.param(19, ef.field(4, struct.pack("<e", 1.5)), 1.5, id="half content"),
        pytest.param(22, ef.number_field(16, 1 << 31), float(1 << 31), id="uint32_val"),
        pytest.param(23, ef.number_field(17, 1 << 63), float(1 << 63), id="uint64_val"),
    ],
)
def test_tensor_scalars_of_every_numeric_type(dtype: int, content: bytes, expected: float) -> None:
    for shape in ((), (1,), (1, 1)):
        data = ef.version() + b"".join(
            ef.record(ef.event(step, ("x", ef.tensor(dtype, content, shape)))) for step in (1, 2, 3)
        )
        assert values(scanned(data)) == {"x": [(1, expected), (2, expected), (3, expected)]}


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(ef.tensor(1, ef.field(4, struct.pack("<2f", 1, 2)), (2,)), id="two elements"),
        pytest.param(ef.tensor(1, ef.field(4, b""), (0,)), id="no element"),
        pytest.param(ef.tensor(7, ef.field(8, b"text")), id="a string"),
        pytest.param(ef.tensor(8, ef.field(9, struct.pack("<2f", 1, 2))), id="a complex number"),
        pytest.param(ef.tensor(1, b""), id="no value"),
        pytest.param(
            ef.tensor(1, ef.field(5, struct.pack("<f", 1))) + ef.field(9, ef.field(1, ef.field(1, b"histograms"))),
            id="a histogram of one bucket",
        ),
        pytest.param(ef.field(5, b""), id="an old histogram"),
    ],
)
def test_what_is_no_scalar_is_none(value: bytes) -> None:
    scan = scanned(ef.version() + ef.record(ef.event(1, ("x", value))))
    assert (values(scan), scan.bad, scan.others) == ({}, [], 1)


def test_steps_of_every_length_and_sign() -> None:
    steps = [0, 1, 127, 128, 16383, 16384, 2097151, 2097152, 1 << 40, -1, -(1 << 63)]
    data = ef.version() + b"".join(ef.record(ef.event(step, ("x", ef.simple(1)))) for step in steps)
    assert [step for step, _ in values(scanned(data))["x"]] == steps


def test_several_values_in_a_record_and_unknown_fields_around_them() -> None:
    unknown = ef.field(99, b"abcd") + ef.number_field(98, 7) + b"\x8d\x06wxyz" + b"\x81\x0612345678"
    group = ef.varint(50 << 3 | 3) + ef.number_field(3, 1) + ef.varint(50 << 3 | 4)
    one = ef.event(5, ("a", ef.simple(1)), ("b", ef.simple(2)))
    scan = scanned(ef.version() + 3 * (ef.record(one) + ef.record(group + one + unknown)))
    assert values(scan) == {"a": [(5, 1.0)] * 6, "b": [(5, 2.0)] * 6}
    assert scan.bad == []


def test_a_tag_that_changes_its_encoding_keeps_all_its_values() -> None:
    double = ef.tensor(2, ef.field(6, struct.pack("<d", 0.1)))
    data = (
        ef.scalars("x", [1, 2, 3])
        + b"".join(ef.record(ef.event(s, ("x", double))) for s in (40, 50, 60))
        + ef.scalars("x", [7, 8], 70)
    )
    assert [value for _, value in values(scanned(ef.version() + data))["x"]] == [1, 2, 3, 0.1, 0.1, 0.1, 7, 8]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "bb", "ccc"]),
            st.integers(0, 1 << 24),
            st.floats(width=32, allow_nan=False),
            st.sampled_from(["simple", "float", "double", "meta"]),
        ),
        max_size=60,
    )
)
@settings(max_examples=60, deadline=None)
def test_the_remembered_layouts_read_what_a_full_parse_reads(events: list[tuple[str, int, float, str]]) -> None:
    data, expected = ef.version(), {}
    for tag, step, value, style in events:
        encoded = {
            "simple": ef.simple(value),
            "float": ef.tensor(1, ef.field(5, struct.pack("<f", value))),
            "double": ef.tensor(2, ef.field(4, struct.pack("<d", value))),
            "meta": ef.tensor(1, ef.field(4, struct.pack("<f", value)))
            + ef.field(9, ef.field(1, ef.field(1, b"scalars"))),
        }[style]
        data += ef.record(ef.event(step, (tag, encoded)))
        expected.setdefault(tag, []).append((step, value))
    assert values(scanned(data)) == expected


@given(
    st.text(max_size=130),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.binary(max_size=3),
    st.integers(0, 200),
    st.integers(0, 255),
)
@settings(max_examples=150, deadline=None)
def test_a_glance_sees_what_a_full_parse_sees(tag: str, step: int, more: bytes, at: int, byte: int) -> None:
    for payload in (ef.event(step, (tag, ef.simple(1.5))), ef.event(step, (tag, ef.simple(1.5))) + more):
        changed = bytearray(payload)
        changed[min(at, len(payload) - 1)] = byte
        for data in (payload, bytes(changed)):
            try:
                full = tfevents_event.in_full(data, 0, len(data))
            except Malformed:
                full = None
            try:
                glance = tfevents_event.at_a_glance(data, 0, len(data))
            except Malformed:
                glance = None
            assert glance is None or repr(glance) == repr(full)  # NaN is not equal to itself
    assert len(tag.encode()) > 100 or tfevents_event.at_a_glance(
        payload[: len(payload) - len(more)], 0, len(payload) - len(more)
    )


@pytest.mark.parametrize("chunk", [1, 13, 64, 1000])
def test_where_the_file_is_cut_into_chunks_does_not_matter(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data = ef.event_file("loss", ef.falling())
    damaged = bytearray(data)
    damaged[500] ^= 1
    whole, whole_damaged = scanned(data), scanned(bytes(damaged))
    monkeypatch.setattr(tfevents_framing, "CHUNK", chunk)
    assert values(scanned(data)) == values(whole)
    assert (values(scanned(bytes(damaged))), scanned(bytes(damaged)).bad) == (values(whole_damaged), whole_damaged.bad)


def test_a_wrong_content_checksum_costs_its_record_only() -> None:
    data = bytearray(ef.event_file("loss", [5, 4, 3, 2]))
    at = data.index(struct.pack("<f", 3))
    data[at + 3] ^= 0x40
    scan = scanned(bytes(data))
    assert [value for _, value in values(scan)["loss"]] == [5, 4, 2]
    assert [(bad.place, bad.records, bad.rest_lost) for bad in scan.bad] == [
        (scanned(ef.event_file("loss", [5, 4])).window.size, 1, False)
    ]


def test_a_wrong_length_is_passed_over_to_the_next_record() -> None:
    data = bytearray(ef.event_file("loss", [5, 4, 3, 2]))
    place = len(ef.event_file("loss", [5]))
    data[place] ^= 1
    scan = scanned(bytes(data))
    assert [value for _, value in values(scan)["loss"]] == [5, 3, 2]
    assert [(bad.place, bad.rest_lost) for bad in scan.bad] == [(place, False)]


def test_where_no_further_record_is_found_the_rest_is_lost() -> None:
    data = ef.event_file("loss", [5, 4, 3])
    scan = scanned(data + b"\x55" * 5000)
    assert len(values(scan)["loss"]) == 3
    assert [(bad.place, bad.rest_lost) for bad in scan.bad] == [(len(data), True)]


def test_a_wrong_length_in_the_last_record_loses_that_one() -> None:
    data = bytearray(ef.event_file("loss", [5, 4, 3]))
    data[len(ef.event_file("loss", [5, 4]))] ^= 1
    scan = scanned(bytes(data))
    assert [(len(values(scan)["loss"]), bad.rest_lost) for bad in scan.bad] == [(2, False)]


def test_space_set_aside_and_never_written_is_a_cut() -> None:
    data = ef.event_file("loss", [5, 4, 3])
    scan = scanned(data + bytes(8192))
    assert (scan.cut, scan.bad, len(values(scan)["loss"])) == (len(data), [], 3)


@pytest.mark.parametrize("length", [1 << 62, (1 << 64) - 1])
def test_a_length_beyond_all_files_is_damage_even_with_its_checksum(length: int) -> None:
    header = struct.pack("<Q", length)
    lie = header + struct.pack("<I", masked(crc32c(header)))
    scan = scanned(ef.event_file("loss", [5, 4]) + lie + bytes(range(50)) + ef.scalars("loss", [3], 50))
    assert [value for _, value in values(scan)["loss"]] == [5, 4, 3]
    assert len(scan.bad) == 1


def test_a_record_too_large_to_parse_is_passed_over_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tfevents_scan, "LARGEST_PARSED", 1000)
    monkeypatch.setattr(tfevents_framing, "CHUNK", 100)
    scan = scanned(ef.event_file("loss", [5, 4]) + ef.record(ef.field(4, bytes(5000))) + ef.scalars("loss", [3], 50))
    assert [value for _, value in values(scan)["loss"]] == [5, 4, 3]
    assert (scan.unread, scan.bad) == (1, [])


@pytest.mark.parametrize(
    ("payload", "what"),
    [
        pytest.param(b"\x10" + b"\xff" * 200_000 + b"\x01", "a varint of more than 10 bytes", id="endless varint"),
        pytest.param(b"\x10\xff", "a varint runs out of its message", id="cut varint"),
        pytest.param(b"\x2a\x05ab", "a field runs out of its message", id="cut field"),
        pytest.param(b"\x0f", "a wire type outside the format", id="wire type 7"),
        pytest.param(b"\x00\x00", "a field number outside the format", id="field 0"),
        pytest.param(b"\x0b" * 100, "groups nested too deeply", id="deep groups"),
        pytest.param(
            ef.event(1, ("x", ef.tensor(2, ef.field(4, b"1234")))),
            "a tensor whose content is not as long as its type says", id="short tensor",
        ),
    ],
)  # fmt: skip
def test_what_is_no_message_is_a_damaged_record(payload: bytes, what: str) -> None:
    place = len(ef.event_file("loss", [5]))
    scan = scanned(ef.event_file("loss", [5]) + ef.record(payload) + ef.scalars("loss", [4], 20))
    assert [(bad.what, bad.place) for bad in scan.bad] == [(what, place)]
    assert len(values(scan)["loss"]) == 2


def test_damage_without_end_is_counted_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tfevents_scan, "MOST_BAD", 3)
    scan = scanned(ef.event_file("loss", [5]) + 10 * ef.record(b"\x0f"))
    assert (len(scan.bad), sum(bad.records for bad in scan.bad)) == (3, 10)


@given(st.binary(max_size=400), st.integers(0, 2000), st.booleans())
@settings(max_examples=150, deadline=None)
def test_any_bytes_come_out_as_facts(noise: bytes, at: int, framed: bool) -> None:
    healthy = ef.event_file("loss", ef.falling(20))
    scan = scanned(healthy[:at] + (ef.record(noise) if framed else noise) + healthy[at:])
    assert scan.records >= 0


class TestReading:
    """From the files of a run to its series."""

    @pytest.fixture(autouse=True)
    def _here(self, work: Path) -> None:
        del work

    def test_a_small_file_has_every_checksum_computed(self) -> None:
        found = reading(ef.event_file("loss", ef.falling()))
        assert found.measurements == {"records": 41, "checksums": "every record"}
        assert found.verify is None
        assert (found.located_by, found.series["loss"].size) == ("byte", 40)

    def test_a_large_file_without_accelerator_is_verified_on_demand(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tfevents, "EVERY_CHECKSUM", 100)
        monkeypatch.setattr(tfevents, "accelerator", lambda: None)
        data = bytearray(ef.event_file("loss", [5, 4, 3, 2]))
        data[data.index(struct.pack("<f", 3)) + 3] ^= 0x40
        found = reading(bytes(data))
        assert found.verify is not None
        assert found.damage == ()
        series = found.series["loss"]
        assert found.verify(0, list(series.places)) == [series.places[2]]

    def test_negative_steps_are_none(self) -> None:
        found = reading(ef.version() + ef.scalars("loss", [3, 2, 1], -10, -10))
        assert found.series == {}
        assert found.notes == ("1 tags log negative steps, which tell no order: not judged",)

    def test_a_run_whose_rest_is_lost_is_not_judged_by_its_beginning(self) -> None:
        data = ef.event_file("loss", ef.falling())
        with pytest.raises(Unreadable) as caught:
            reading(data + b"\x55" * 5000)
        assert (caught.value.rule, caught.value.measured) == (
            "TP-BAD-RECORD",
            f"the last 5000 of {len(data) + 5000} bytes lost",
        )

    def test_tags_beyond_all_measure_are_left_out_and_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tfevents, "MOST_TAGS", 1)
        found = reading(ef.event_file("a", [1], loss=[3, 2, 1]))
        assert set(found.series) == {"loss"}
        assert found.notes == ("1 of 2 tags, those with the fewest values, were left out",)

    def test_several_files_are_one_run_in_the_order_of_their_names(self) -> None:
        found = reading(
            ef.event_file("loss", [5, 4]), ef.version() + ef.scalars("loss", [3], 30), ef.event_file("eval/loss", [1])
        )
        assert list(found.series["loss"].values) == [5, 4, 3]
        assert list(found.series["loss"].files) == [0, 0, 1]
        assert list(found.series["eval/loss"].files) == [2]
        assert found.measurements["files"] == 3

    @pytest.mark.parametrize(
        ("data", "measured"),
        [
            (b"", "0 bytes"),
            (ef.version()[:20], "20 bytes"),
            (b"not an event file at all " * 20, "a wrong checksum at byte 0"),
        ],
    )
    def test_a_file_without_a_record_is_unreadable(self, data: bytes, measured: str) -> None:
        with pytest.raises(Unreadable) as caught:
            reading(data)
        assert (caught.value.rule, caught.value.measured) == ("TP-RUN-NOT-A-LOG", measured)


@pytest.mark.parametrize(
    ("name", "start", "expected"),
    [
        (NAME, b"", True),
        ("run.tfevents", b"", True),
        ("anything.bin", ef.version(), True),
        ("events.out.tfevents.1.host.profile-empty", ef.version(), False),
        ("tfevents.md", b"# how to read tfevents", False),
        ("train.log", b"loss: 1", False),
    ],
)
def test_recognised_by_content_or_name(name: str, start: bytes, expected: bool) -> None:
    assert tfevents.recognise(Head(name, start, len(start))) is expected


class TestFolders:
    """Which files of a folder are one run."""

    @pytest.fixture(autouse=True)
    def _here(self, work: Path) -> None:
        self.work = work

    def found(self, **files: bytes) -> list[tuple[str, tuple[str, ...]]]:
        for name, data in files.items():
            path = self.work / name.replace("__", "/")
            path.parent.mkdir(exist_ok=True)
            path.with_name(f"events.out.tfevents.{path.name}").write_bytes(data)
        return [(target.path[-1], tuple(m[-1] for m in target.members)) for target in find(["."], Settings())]

    def test_a_continuation_and_an_evaluation_belong_to_the_run(self) -> None:
        rest = ef.version() + ef.scalars("loss", [3, 2], 30)
        assert self.found(a=ef.event_file("loss", [5, 4]), b=rest, c=ef.event_file("eval/loss", [1])) == [
            ("a", ("a", "b", "c"))
        ]

    def test_a_file_that_begins_anew_is_another_run(self) -> None:
        one = ef.event_file("loss", [5, 4])
        assert self.found(a=one, b=one, c=one) == [("a", ()), ("b", ()), ("c", ())]

    def test_folders_are_runs(self) -> None:
        assert self.found(x__a=ef.event_file("loss", [5]), y__b=ef.event_file("eval/loss", [4])) == [
            ("a", ()),
            ("b", ()),
        ]

    def test_a_file_without_scalars_adds_nothing_to_its_run(self) -> None:
        assert self.found(a=ef.version(), b=ef.event_file("loss", [5])) == [("a", ("a", "b"))]

    def test_a_file_without_a_record_stands_alone(self) -> None:
        assert self.found(a=ef.event_file("loss", [5]), b=b"", c=ef.event_file("x", [5])) == [
            ("a", ()),
            ("b", ()),
            ("c", ()),
        ]


def test_losses_without_a_total_are_summed_at_equal_steps(work: Path) -> None:
    boxes = [ef.record(ef.event(step, ("train/box_loss", ef.simple(4)))) for step in range(10, 130, 10)]
    classes = [ef.record(ef.event(step, ("train/cls_loss", ef.simple(1)))) for step in range(10, 130, 10)]
    (work / NAME).write_bytes(ef.version() + b"".join(a + b for a, b in zip(boxes, classes, strict=True)))
    run = read(find([NAME], Settings())[0], Settings(), ())
    assert run.loss is not None
    assert (run.loss_columns, set(run.loss.values), run.loss.size) == (("train/box_loss", "train/cls_loss"), {5.0}, 12)
