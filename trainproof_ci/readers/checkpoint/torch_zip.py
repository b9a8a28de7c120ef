"""A checkpoint that `torch.save` wrote, judged as the ZIP of bytes it is: structure, checksums, `data.pkl`, storages."""

from trainproof_ci.readers.checkpoint import torch_pickle, zip_directory
from trainproof_ci.readers.checkpoint.bytes_at import BytesAt
from trainproof_ci.readers.checkpoint.dtypes import bytes_of, bytes_of_storage
from trainproof_ci.readers.checkpoint.facts import CheckpointFile, Span, Weights
from trainproof_ci.readers.checkpoint.pickle_ops import Endless, Malformed
from trainproof_ci.readers.checkpoint.pickle_walk import Walked, walk
from trainproof_ci.readers.checkpoint.sightings import Broken, Seen, Sighting
from trainproof_ci.readers.checkpoint.torch_globals import WEIGHTS_ONLY, is_numpy
from trainproof_ci.readers.checkpoint.torch_members import is_big_endian, required
from trainproof_ci.readers.checkpoint.zip_crc import Checked, check_all
from trainproof_ci.readers.checkpoint.zip_members import STORED, Member, content, members_of
from trainproof_ci.typed import NamedTuple

LARGEST_PICKLE = 64 << 20
OTHER_KINDS = {"archive_format": "a torch.export program", ".data/extern_modules": "a torch.package archive"}


class Archive(NamedTuple):
    """A torch archive whose directory was read: its root folder, members by name below it, and what was come upon so far."""

    root: str
    members: dict[str, Member]
    ordered: tuple[Member, ...]
    sightings: tuple[Sighting, ...]

    def get(self, name: str) -> Member | None:
        """The member `name` below the root."""
        return self.members.get(f"{self.root}/{name}".lower())


def read(path: str, at: BytesAt, *, deep: bool, deadline: float, checksums: bool = True) -> CheckpointFile:
    """The facts of the torch archive in `at`; `checksums=False` leaves the bytes of the weights alone."""
    empty = CheckpointFile(path, "torch-zip", at.size)
    try:
        archive = open_archive(at)
    except Broken as damage:
        return empty._replace(sightings=(damage.sighting,))
    facts = _of_another_kind(empty, archive) or structure(empty, at, archive)
    checked = check_all(at, archive.ordered, deadline) if checksums else Checked("not compared", ())
    facts = facts._replace(sightings=(*facts.sightings, *checked.sightings), checksums=checked.said)
    if not facts.damaged and checksums:
        weights = _weights(at, facts, deep=deep, deadline=deadline)
        facts = facts._replace(
            weights=weights, why_not="" if weights else "the archive holds no weights that can be read in place"
        )
    return facts


def _of_another_kind(facts: CheckpointFile, archive: Archive) -> CheckpointFile | None:
    """What torch wrote by another way than `torch.save`, told by a member that only this way leaves; None otherwise."""
    kind = next((kind for member, kind in OTHER_KINDS.items() if archive.get(member) is not None), None)
    if kind is None or archive.get("data.pkl") is not None:
        return None
    told = Sighting(Seen.OTHER_ARCHIVE, kind, "torch or safetensors", 0, told={"format": kind})
    return facts._replace(
        format="torch-other", sightings=(*archive.sightings, told), why_not=f"the weights of {kind} are not read"
    )


def open_archive(at: BytesAt, *, rooted: bool = True) -> Archive:
    """Read the directory and the local headers. Raises `Broken`. `rooted`: all members must lie in one folder."""
    if at.read(0, 4) != zip_directory.LOCAL_MAGIC:
        raise zip_directory.broken(Seen.NO_FIRST_MEMBER, at.read(0, 4).hex(), "504b0304", 0)
    end = zip_directory.read_end(at)
    entries = zip_directory.read_entries(at, end)
    doubled = zip_directory.doubled_names(entries)
    ordered, sightings = members_of(at, entries, end)
    members = {member.entry.name.lower(): member for member in reversed(ordered)}
    root = entries[0].name.partition("/")[0]
    astray = _astray(entries) if rooted else []
    return Archive(root, members, tuple(ordered), (*end.sightings, *doubled, *sightings, *astray))


def _astray(entries: list[zip_directory.Entry]) -> list[Sighting]:
    """At most one: members outside the one root folder that all names of a torch archive begin with."""
    root, slash, _ = entries[0].name.partition("/")
    if not slash:
        return [Sighting(Seen.NO_FOLDER, "no folder", "one root folder", entries[0].central_at)]
    astray = [entry for entry in entries if not entry.name.startswith(f"{root}/")]
    if not astray:
        return []
    escaping = any(entry.name.startswith("/") or ".." in entry.name.split("/") for entry in astray)
    what = Seen.LEADS_OUT if escaping else Seen.OUTSIDE_ROOT
    return [Sighting(what, f"{len(astray)} members", "0", astray[0].central_at)]


def structure(facts: CheckpointFile, at: BytesAt, archive: Archive) -> CheckpointFile:
    """What can be said without reading the weights: required members, `data.pkl`, storages and their sizes."""
    sightings = [*archive.sightings, *required(at, archive)]
    script = archive.get("constants.pkl") is not None
    facts = facts._replace(format="torch-script" if script else "torch-zip", sightings=tuple(sightings))
    pickle = archive.get("data.pkl")
    if pickle is None:
        missing = Sighting(Seen.NO_PICKLE, "no data.pkl", "data.pkl in the root folder")
        return facts._replace(sightings=(*sightings, missing))
    try:
        walked = walk(content(at, pickle, LARGEST_PICKLE))
        found = torch_pickle.contents_of_script(walked) if script else torch_pickle.contents_of(walked)
    except Broken as damage:
        return facts._replace(sightings=(*sightings, damage.sighting))
    except Malformed as problem:
        what = Seen.PICKLE_ENDLESS if isinstance(problem, Endless) else Seen.PICKLE_REFUSED
        both = f"byte {problem.offset}", f"{pickle.entry.size} bytes"
        refused = Sighting(what, *both, pickle.at + problem.offset, told={"reason": problem.reason})
        return facts._replace(sightings=(*sightings, refused))
    big_endian = is_big_endian(at, archive)
    spans, short = _spans(archive, found, pickle.at, big_endian)
    return _with_imports(facts, walked, pickle.at)._replace(
        sightings=(*sightings, *short), tensors=found.tensors, spans=spans, optimizer=found.optimizer,
        progress=found.progress, sharded=found.sharded,
    )  # fmt: skip


def _spans(
    archive: Archive, found: torch_pickle.Contents, pickle_at: int, big_endian: bool
) -> tuple[dict[str, Span], list[Sighting]]:
    """Where the bytes of every storage are, and the storages that are missing or of another size."""
    spans: dict[str, Span] = {}
    short: list[Sighting] = []
    sizes: dict[str, int] = {}
    for storage in found.storages:
        if storage.key in sizes:  # torch reads a storage once, as the first that names it says
            continue
        sizes[storage.key] = bytes_of_storage(storage.dtype, storage.numel)
        member = archive.get(f"data/{storage.key}")
        problem = _storage_problem(member, sizes[storage.key], pickle_at + storage.offset)
        if problem is not None:
            short.append(problem)
        elif member is not None and member.entry.method == STORED:
            spans[storage.key] = Span(member.at, member.entry.size, storage.dtype, big_endian)
    return spans, [*short, *_overreaching(found, sizes, pickle_at)]


def _storage_problem(member: Member | None, nbytes: int, named_at: int) -> Sighting | None:
    wanted = f"{nbytes} bytes"
    if member is None:
        return Sighting(Seen.STORAGE_MISSING, "no member", wanted, named_at)
    if member.problem is None and member.entry.size != nbytes:
        return Sighting(Seen.STORAGE_SIZE, f"{member.entry.size} bytes", wanted, member.at)
    return member.problem


def _overreaching(found: torch_pickle.Contents, sizes: dict[str, int], pickle_at: int) -> list[Sighting]:
    """At most one: the first tensor that reaches beyond its storage."""
    for tensor in found.tensors:
        reached = bytes_of(tensor.dtype, tensor.offset + tensor.extent) if tensor.numel else 0
        held = sizes.get(tensor.storage, 0)
        if reached > held:
            return [Sighting(Seen.TENSOR_BEYOND, f"{reached} bytes", f"{held} bytes", pickle_at)]
    return []


def _with_imports(facts: CheckpointFile, walked: Walked, pickle_at: int) -> CheckpointFile:
    imports = torch_pickle.imports_of(walked)
    strange = [
        (name, pickle_at + place) for name, place in imports.items() if name not in WEIGHTS_ONLY and not is_numpy(name)
    ]
    return facts._replace(
        imports=tuple(strange),
        numpy_imports=tuple(name for name in imports if is_numpy(name)),
        beyond_weights_only=tuple((what, pickle_at + place) for what, place in walked.refused.items()),
    )


def _weights(at: BytesAt, facts: CheckpointFile, *, deep: bool, deadline: float) -> Weights | None:
    if not facts.spans:
        return None
    from trainproof_ci.readers.checkpoint.weights import look_at  # an archive without storages needs none of it

    return look_at(at, facts.tensors, facts.spans, deep=deep, deadline=deadline)
