"""Paths in, targets out: which files there are, what kind each is, and which are refused unread."""

import os
from collections.abc import Iterable, Iterator, Sequence

from trainproof_ci.errors import Unreadable, defect
from trainproof_ci.globs import is_pattern, matches
from trainproof_ci.places import Location
from trainproof_ci.readers.pointers import is_pointer
from trainproof_ci.readers.source import Head, refuse_special
from trainproof_ci.readers.suffixes import CHECKPOINTS, DATASETS, JSON_LINES, TABLES, named_like_data, named_like_split
from trainproof_ci.registry import facts_module
from trainproof_ci.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.config import Settings

NEVER_A_TARGET = frozenset({".trainproof.yml", ".gitattributes", ".gitignore", ".gitmodules"})
RECOGNISED_KINDS = ("checkpoint", "tokenizer", "manifest", "run", "dataset")
"""The kinds that files are recognised as, in the order they are asked."""


class Target(NamedTuple):
    """Something to judge. `members` are the files of a target that is more than the file at `path`;
    `refusal` is why it will not be read at all.
    """

    path: str
    kind: str
    format: str
    size: int = 0
    is_file: bool = True
    members: tuple[str, ...] = ()
    refusal: Unreadable | None = None


def find(
    paths: Sequence[str], settings: "Settings", kind: str | None = None, *, candidates: bool = False
) -> list[Target]:
    """The targets among `paths` (files, folders, patterns; relative to the working directory), sorted by path.

    A file named outright, on the command line or in the configuration, is a target even when it is not recognised.
    `kind` forces what the named files are read as; `candidates` are files that a hook hands over: what is not
    recognised among them is passed over.
    """
    root = os.path.realpath(".")
    inside: set[str] = set()  # the folders that are known to lie below it
    found: dict[str, Target] = {}
    for path in paths:
        targets = [
            target
            for name, outright in _named(path)
            for target in _target(name, outright and not candidates, (root, inside), settings, kind)
        ]
        for target in targets or ([] if candidates and os.path.lexists(path) else [_missing(path, kind)]):
            found.setdefault(target.path, target)
    if "." in paths:
        found |= {entry: _missing(entry, "dataset") for entry in _unmatched_entries(settings, found)}
    joined = gathered(found.values())
    if settings.runs:
        from trainproof_ci.readers.comparison import targets as comparisons  # only a configured baseline needs it

        joined += comparisons(joined, settings)
    return sorted(joined, key=lambda target: (target.path, target.kind))


def _target(
    name: str, outright: bool, grounds: tuple[str, set[str]], settings: "Settings", kind: str | None
) -> list[Target]:
    """The target at `name`, if it is one and not excluded."""
    if _excluded(name, settings):
        return []
    root, inside = grounds
    outright, meant = outright or _configured(name, settings), _meant(name, settings)
    target = classify(name, root, kind=kind, outright=outright, meant=meant, inside=inside)
    return [target] if target is not None else []


def _named(path: str) -> Iterator[tuple[str, bool]]:
    """The files that `path` stands for, each with whether it was named outright."""
    relative = os.path.relpath(path).replace(os.sep, "/") if os.path.lexists(path) else path
    if os.path.isdir(path) and not os.path.islink(path):
        yield from ((name, False) for name in _below(relative))
    elif os.path.lexists(path):
        yield relative, True
    elif is_pattern(path):
        yield from ((name, True) for name in _below(".") if matches(name, path.replace(os.sep, "/")))


def _below(folder: str) -> list[str]:
    from trainproof_ci.walking import walk  # a file that is named takes no walk

    return walk(folder)


def classify(
    path: str,
    root: str,
    *,
    kind: str | None = None,
    outright: bool = False,
    meant: str | None = None,
    inside: set[str] | None = None,
) -> Target | None:
    """What the file at `path` is, or None when it is nothing we judge; refused links and devices are targets.

    `kind` forces a reading; `meant` is what the configuration says of a file that nothing recognises; `inside` are
    folders that were found to lie below `root` when other files were looked at.
    """
    if path.rsplit("/", 1)[-1] in NEVER_A_TARGET:
        return None
    guess = kind or meant or guess_kind(path)
    try:
        refuse_special(path, root, inside)
        head = Head.of(path)
    except Unreadable as why:
        return Target(path, guess or "dataset", "unreadable", refusal=why) if guess or outright else None
    except IsADirectoryError:
        return None
    if is_pointer(head) and (guess or outright or _is_split(path)):
        return Target(path, guess or "dataset", "git-lfs-pointer", head.size)
    for candidate in (kind,) if kind else _asked(head):
        try:
            name = facts_module(candidate).recognise(head)
        except Exception as error:  # noqa: BLE001 - as in the engine: a defect of ours spares the other files
            return Target(path, candidate, "unreadable", head.size, refusal=defect(error))
        if name is not None:
            return Target(path, candidate, name, head.size)
    return _named_on_purpose(head, guess, kind or meant) if outright or kind is not None else None


def _named_on_purpose(head: Head, guess: str | None, kind: str | None) -> Target:
    """A file that nothing recognises: a dataset where its suffix says how to read it, else not supported."""
    if kind in {None, "dataset"} and guess in {None, "dataset"}:
        admitted: str | None = facts_module("dataset").admit(head)
        if admitted is not None:
            return Target(head.path, "dataset", admitted, head.size)
    refusal = None if kind else _unsupported(head.path)
    return Target(head.path, guess or "dataset", "unknown", head.size, refusal=refusal)


def _asked(head: Head) -> tuple[str, ...]:
    """The kinds in the order they are asked: a table is told from a log by its columns, which datasets know better."""
    if head.suffix in TABLES:
        return ("dataset", *RECOGNISED_KINDS)
    if head.suffix in JSON_LINES:
        return ("run", "dataset")
    guess = guess_kind(head.path)  # a name that only one kind uses spares the others their loading
    return RECOGNISED_KINDS if guess in {None, "dataset"} else (guess, *RECOGNISED_KINDS)


def _is_split(path: str) -> bool:
    """Whether a `.json` is called as a part of a dataset: where its bytes are stored apart, they are no settings."""
    return path.lower().endswith(".json") and named_like_split(path)


def guess_kind(path: str) -> str | None:
    """The kind that the name alone suggests, for files whose bytes are not here or not ours to read."""
    name = path.rsplit("/", 1)[-1].lower()
    suffix = os.path.splitext(name)[1]
    if suffix in CHECKPOINTS or suffix == ".bin":
        return "checkpoint"
    if name.startswith(("tokenizer", "special_tokens_map")):
        return "tokenizer"
    if "tfevents" in name or name == "trainer_state.json":
        return "run"
    return "dataset" if name.endswith(DATASETS) or (suffix == ".json" and named_like_data(name)) else None


def gathered(targets: Iterable[Target]) -> list[Target]:
    """Let each kind join files that are one target: the shards of a checkpoint, the labels of a folder."""
    by_kind: dict[str, list[Target]] = {}
    for target in targets:
        by_kind.setdefault(target.kind, []).append(target)
    joined: list[Target] = []
    for kind, members in by_kind.items():
        gather = getattr(facts_module(kind), "gather", None)
        joined += gather(members) if gather is not None else members
    return joined


def _excluded(path: str, settings: "Settings") -> bool:
    return any(matches(path, pattern) for pattern in settings.exclude)


def _meant(path: str, settings: "Settings") -> str | None:
    """The kind that the configuration names a file as: an entry under `runs` that is about more than every file."""
    return "run" if any(entry.files != "**" and matches(path, entry.files) for entry in settings.runs) else None


def _configured(path: str, settings: "Settings") -> bool:
    return any(matches(path, pattern) for pattern in settings.file_patterns)


def _unmatched_entries(settings: "Settings", found: Iterable[str]) -> list[str]:
    """The patterns of the configuration that fit none of the files found: a typo must not mean less is checked."""
    names = list(found)
    entries = [*settings.file_patterns, *(path for split in settings.splits for path in split)]
    return [entry for entry in dict.fromkeys(entries) if not any(matches(name, entry) for name in names)]


def _missing(path: str, kind: str | None) -> Target:
    nothing = path == "."
    why = Unreadable(
        "nothing here is a dataset, a training log, a checkpoint, a tokenizer or a manifest" if nothing else "no file matches",
        rule="TP-FILE-NOT-FOUND", measured="0 files", limit="at least 1", location=Location(path, line=1),
    )  # fmt: skip
    return Target(path, kind or guess_kind(path) or "dataset", "missing", is_file=False, refusal=why)


def _unsupported(path: str) -> Unreadable:
    return Unreadable(
        "not recognised as a dataset, training log, checkpoint, tokenizer file or manifest; --kind forces a reading",
        rule="TP-FILE-UNSUPPORTED", measured="an unknown format", limit="a supported format", location=Location(path, line=1),
    )  # fmt: skip
