"""What is known of a checkpoint once its bytes were read: what was come upon and where, tensors, weights, layout."""

from collections.abc import Mapping, Sequence

from trainproof_ci.model import Chart
from trainproof_ci.readers.checkpoint.sightings import Sighting
from trainproof_ci.typed import NamedTuple


class Tensor(NamedTuple):
    """A tensor as the checkpoint declares it. `offset` and `stride` count elements of the storage `storage`.

    `name` is the path of keys that leads to it, already fit to print; `section` is "model", "optimizer" or "other".
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    storage: str
    section: str = "model"

    @property
    def numel(self) -> int:
        """The number of elements."""
        count = 1
        for size in self.shape:
            count *= size
        return count

    @property
    def extent(self) -> int:
        """One more than the index, counted from `offset`, of the last element that the strides reach; 0 if empty."""
        if not self.numel:
            return 0
        return 1 + sum((size - 1) * step for size, step in zip(self.shape, self.stride, strict=True))


class Span(NamedTuple):
    """Where the bytes of a storage lie in the file; `size` is in bytes. `big_endian` as the writer's machine was."""

    at: int
    size: int
    dtype: str
    big_endian: bool = False


class BadWeight(NamedTuple):
    """A tensor with non-finite elements: how many are NaN, how many infinite, of how many that were looked at."""

    tensor: Tensor
    nan: int
    infinite: int
    looked_at: int
    at: int
    big_endian: bool = False


class Weights(NamedTuple):
    """What the weights are worth: the bytes looked at of all there are, tensors with NaN or infinities, all-zero ones."""

    scanned: int = 0
    total: int = 0
    bad: tuple[BadWeight, ...] = ()
    dead: tuple[Tensor, ...] = ()
    considered: int = 0


class CheckpointFile(NamedTuple):
    """The facts of one file of a checkpoint. `weights` is None where they could not be looked at, with `why_not`."""

    path: str
    format: str
    size: int
    sightings: tuple[Sighting, ...] = ()
    tensors: tuple[Tensor, ...] = ()
    spans: Mapping[str, Span] = {}
    weights: Weights | None = None
    why_not: str = "the file is damaged"
    imports: tuple[tuple[str, int], ...] = ()
    beyond_weights_only: tuple[tuple[str, int], ...] = ()
    numpy_imports: tuple[str, ...] = ()
    optimizer: str = "none"
    progress: bool = False
    checksums: str = "none in this format"
    sharded: Mapping[str, object] = {}

    @property
    def damaged(self) -> bool:
        """Whether the file cannot be loaded, is not what was saved, or is not here."""
        return any(sighting.damages for sighting in self.sightings)


class Checkpoint(NamedTuple):
    """The facts of a checkpoint: one file, or a folder whose files are one checkpoint.

    `sightings` are those of the whole; `missing_state` names what a folder lacks to resume from, empty where it lacks
    nothing. `earlier` is the newest complete checkpoint before a `checkpoint-N` that is not whole, "" where there is
    none, None where nothing asks for one.
    """

    path: str
    format: str
    files: tuple[CheckpointFile, ...]
    sightings: tuple[Sighting, ...] = ()
    missing_state: tuple[str, ...] = ()
    notes: Mapping[str, object] = {}
    earlier: str | None = None

    def lacks(self, need: str) -> str | None:
        """Why `need`, "weights" or "imports", is not there; None where it is."""
        if need == "weights" and not any(file.weights is not None for file in self.files):
            return self.files[0].why_not if self.files else "no file of the checkpoint could be read"
        if need == "imports" and not any(file.format.startswith("torch") for file in self.files):
            return "the format runs no code: it holds no pickle"
        if need == "imports" and all(file.format == "torch-other" for file in self.files):
            return "no data.pkl: the pickles of such an archive are not read"
        return None

    def summary(self) -> Mapping[str, object]:
        """Sizes and counts; no content."""
        weights = [file.weights for file in self.files if file.weights is not None]
        facts: dict[str, object] = {
            "bytes": sum(file.size for file in self.files),
            "files": len(self.files),
            "tensors": sum(len(file.tensors) for file in self.files),
            "parameters": sum(t.numel for file in self.files for t in file.tensors if t.section == "model"),
            "optimizer": self.optimizer,
            "checksums": "; ".join(dict.fromkeys(file.checksums for file in self.files)),
        }
        if weights:
            facts["weights_scanned"] = f"{sum(w.scanned for w in weights)} of {sum(w.total for w in weights)} bytes"
        advice = {} if self.earlier is None else {"resume_from": self.earlier or None}
        return {**facts, **self.notes, **advice}

    def charts(self) -> tuple[Chart, ...]:
        """None: a checkpoint is a point, not a series."""
        return ()

    @property
    def optimizer(self) -> str:
        """Whether its state is present, empty (saved before the first step, or without moments) or none is there."""
        states = {file.optimizer for file in self.files}
        return next((state for state in ("present", "empty") if state in states), "none")

    def all_sightings(self) -> Sequence[Sighting]:
        """Those of the whole and of every file, each with its path."""
        own = [seen._replace(path=seen.path or self.path) for seen in self.sightings]
        return own + [seen._replace(path=seen.path or file.path) for file in self.files for seen in file.sightings]
