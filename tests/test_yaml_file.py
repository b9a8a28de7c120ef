import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainproof_ci.errors import UsageError
from trainproof_ci.yaml_file import Node, load


def plain(node: Node) -> object:
    if isinstance(node.value, dict):
        return {key: plain(value) for key, value in node.value.items()}
    return [plain(value) for value in node.value] if isinstance(node.value, list) else node.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: off", {"a": "off"}),
        ("a: no", {"a": "no"}),
        ("a: 1:30", {"a": "1:30"}),
        ("a: [1, 2.5, -3, 1e3]", {"a": [1, 2.5, -3, 1000.0]}),
        ("a: 'true'", {"a": "true"}),
        ("a: true\nb: ~\nc:", {"a": True, "b": None, "c": None}),
        ("", None),
        ("a: .inf", {"a": ".inf"}),
    ],
)
def test_plain_values(text: str, value: object) -> None:
    assert plain(load(text.encode(), "c")) == value


def test_a_value_knows_its_line() -> None:
    assert load(b"a: 1\nb:\n  c: 2\n", "c").value["b"].value["c"].line == 3


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"a: &x 1\nb: *x\n", "c:1: anchors"),
        (b"a: 1\na: 2\n", "c:2: a key stands here for the second time"),
        (b"a: !!python/object/apply:os.system ['x']\n", "c:1: tags"),
        (b"<<: {a: 1}\n", "c:1: merge keys"),
        (b"a: 1\n---\nb: 2\n", "c:2: several documents"),
        (b"a: 010\n", "c:1: a number with a leading zero"),
        (b"a: " + b"9" * 500, "c:1: a number with"),
        (b"a: " + b"[" * 100 + b"]" * 100, "c:1: nested deeper"),
        (b"a: '\xff'", "not UTF-8 at byte 4"),
        (b"a: " + b"x" * 70_000, "at most 65536"),
        (b"a:\n\tb: 1\n", "not valid YAML"),
        (b"? [a]\n: 1\n", "a key must be a plain word"),
    ],
)
def test_what_is_refused(data: bytes, problem: str) -> None:
    with pytest.raises(UsageError, match=problem.replace("(", "\\(")):
        load(data, "c")


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from(" \n-:[]{}&*!|>'\"#%@`ab01.~?,\t\0é"), max_size=60))
def test_anything_is_a_value_or_a_usage_error(text: str) -> None:
    try:
        load(text.encode(), "c")
    except UsageError as error:
        assert str(error).startswith("c")  # noqa: PT017 - either outcome is right
