"""What a log says: series of numbers with the place of every point, and what could not be read."""

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from trainproof_ci.errors import Unreadable
from trainproof_ci.model import Chart
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.run.picture import points
from trainproof_ci.readers.run.vocabulary import EPOCH_KEYS, STEP_KEYS, is_known, shown_name
from trainproof_ci.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.discovery import Target
    from trainproof_ci.model import TargetReport

NO_NUMBERS: "array[float]" = array("d")
NO_FILES: "array[int]" = array("H")
NO_NULLS: frozenset[int] = frozenset()
ABOUT_THE_FILE = frozenset({"TP-TRUNCATED", "TP-STOPPED-INTERRUPT"})
"""Rules that say nothing about how well the run learns."""
_NEEDS = {
    "loss": "training loss",
    "evals": "evaluation loss",
    "validation": "evaluation loss",
    "rates": "learning rate",
    "gradients": "gradient norm",
}


class Series(NamedTuple):
    """One logged quantity, in the order of the file: four arrays of one length.

    `places` holds the line (from 1) of each point in a text log, its byte offset in an event file; `steps` the
    training step, or the number of the point where none is logged; `epochs` is empty where no epoch is logged.
    `files` is empty for a log of one file, else the index of each point's file in `RunLog.files`. `nulls` are the
    points written as null, which stand in `values` as NaN. Columns of one table share their arrays: never write.
    """

    name: str
    values: "array[float]"
    steps: "array[float]"
    places: "array[int]"
    epochs: "array[float]" = NO_NUMBERS
    files: "array[int]" = NO_FILES
    nulls: frozenset[int] = NO_NULLS
    stepped: bool = True
    """Whether `steps` were logged; False where they merely count the points."""

    @property
    def size(self) -> int:
        """The number of points."""
        return len(self.values)

    def part(self, first: int, end: int) -> "Series":
        """The points from `first` up to, not including, `end`."""
        if first == 0 and end >= len(self.values):
            return self
        nulls = frozenset(i - first for i in self.nulls if first <= i < end)
        return self._replace(
            values=self.values[first:end], steps=self.steps[first:end], places=self.places[first:end],
            epochs=self.epochs[first:end], files=self.files[first:end], nulls=nulls,
        )  # fmt: skip

    def picked(self, order: Iterable[int]) -> "Series":
        """The points at these positions, in this order."""
        chosen = list(order)
        return self._replace(
            values=array("d", [self.values[i] for i in chosen]),
            steps=array("d", [self.steps[i] for i in chosen]),
            places=array("q", [self.places[i] for i in chosen]),
            epochs=array("d", [self.epochs[i] for i in chosen]) if self.epochs else self.epochs,
            files=array("H", [self.files[i] for i in chosen]) if self.files else self.files,
            nulls=frozenset(new for new, old in enumerate(chosen) if old in self.nulls),
        )


class Odd(NamedTuple):
    """Values of a column that are no numbers: how many, and the place of the first."""

    values: int
    place: int


class Damage(NamedTuple):
    """Records that could not be read: what is wrong in words, where, how many, and whether all after it is lost."""

    what: str
    place: int
    records: int = 1
    rest_lost: bool = False
    file: int = 0


class Cut(NamedTuple):
    """The log ends in the middle of a record, which begins at `place`."""

    what: str
    place: int
    file: int = 0


class Stop(NamedTuple):
    """The error that a console log ends in: its kind (intake, memory, config, crash), and where it stands.

    `error` is the name of the exception class or the like, never its message.
    """

    kind: str
    error: str
    line: int


class Reading(NamedTuple):
    """What the reader of one format returns; `readers.run.read` finds roles and segments and makes it a `RunLog`.

    `series` are all numeric columns by the name that the log gives them, `odd` the values that were no numbers.
    """

    series: Mapping[str, Series]
    odd: Mapping[str, Odd] = {}
    missing: Mapping[str, Odd] = {}
    """Cells that say in a word that there is no value, counted like the odd ones."""
    located_by: str = "line"
    """What `places` count: "line" or "byte"."""
    files: tuple[str, ...] = ()
    """The files of a log of several, in the order that `Series.files` numbers them; empty for one."""
    damage: tuple[Damage, ...] = ()
    cut: Cut | None = None
    stop: Stop | None = None
    notes: tuple[str, ...] = ()
    total_steps: float | None = None
    """The step at which the run was meant to end, where the log says it."""
    measurements: Mapping[str, object] = {}
    """More facts for the report: JSON values, never content."""
    verify: Callable[[int, Sequence[int]], Sequence[int]] | None = None
    """Of the records at these places of a file, by its number, those that are damaged; None where all were checked."""


MOST_OTHERS = 24


class RunLog(NamedTuple):
    """One run, judged by the last of its segments (a segment ends where the step goes back).

    `series` are all columns as written. The others are cut to the last segment, in step order: `loss` the training
    loss (possibly a sum of several columns: `loss_columns`), `evals` every evaluation loss, `rates` the learning rates,
    `gradients` the gradient norms.
    """

    path: str
    format: str
    reading: Reading
    series: Mapping[str, Series]
    loss: Series | None = None
    loss_columns: tuple[str, ...] = ()
    evals: tuple[Series, ...] = ()
    rates: tuple[Series, ...] = ()
    gradients: tuple[Series, ...] = ()
    validation: tuple[Series, ...] = ()
    """The evaluation loss of each evaluation set, summed where the training loss is a sum."""
    segments: int = 1
    objective: str | None = None
    """Why a falling loss is not expected of this run ("reinforcement", ...); None for a supervised one."""
    notes: tuple[str, ...] = ()
    loss_key: str | None = None
    """The column that the user named as the loss."""
    asks: "tuple[Target, ...]" = ()
    """For a run that could not take in its data: the datasets and manifests beside the log, until they are judged."""
    beside: tuple[Location, ...] = ()
    """What was found out about them: the first failure of each, else the file itself."""

    def answered(self, reports: "Sequence[TargetReport]") -> "RunLog":
        """The run with what the data beside it is worth."""
        from trainproof_ci.readers.run.beside import places_of  # only a failed intake asks

        return self._replace(asks=(), beside=places_of(reports))

    def lacks(self, need: str) -> str | None:
        """Why `need` ("loss", "evals", "rates", "gradients") is missing, or None when it is there."""
        if getattr(self, need) if need in _NEEDS else need in self.series:
            return None
        return f"no {_NEEDS.get(need, need)} in this log"

    def shortfall(self, fired: Collection[str]) -> Unreadable | None:
        """Why the run is not judged although none but the rules `fired` did; None when it is."""
        from trainproof_ci.readers.run.shortfall import shortfall  # a run that failed does not need it

        return shortfall(self) if ABOUT_THE_FILE.issuperset(fired) else None

    def summary(self) -> Mapping[str, object]:
        """The measurements for the report."""
        found: dict[str, object] = dict(self.reading.measurements)
        if self.loss is not None:
            found |= {"loss": "+".join(map(shown_name, self.loss_columns)), "points": self.loss.size}
        if self.evals:
            found["evaluations"] = max(series.size for series in self.evals)
        if self.segments > 1:
            found["segments"] = self.segments
        if self.objective:
            found["objective"] = self.objective
        if others := self._others():
            found["other_columns"] = others
        if self.notes:
            found["notes"] = list(self.notes)
        return found

    def _others(self) -> list[str]:
        """The columns that are none of a loss, a learning rate, a gradient norm, a step or an epoch: no rule on the course
        of the run looked at them. Those whose names are of words that trainers use, and how many more.
        """
        judged = {*self.loss_columns, *STEP_KEYS, *EPOCH_KEYS}
        judged |= {series.name for group in (self.evals, self.rates, self.gradients) for series in group}
        others = [name for name in {**self.series, **self.reading.odd} if name not in judged]
        names = [shown_name(name) for name in others if is_known(name)][:MOST_OTHERS]
        return names if len(names) == len(others) else [*names, f"{len(others) - len(names)} more"]

    def charts(self) -> tuple[Chart, ...]:
        """Loss, evaluation losses, learning rate and gradient norm."""
        shown = [("loss", s) for s in (self.loss,) if s is not None]
        shown += [("evals", s) for s in self.evals[:2]] + [("rates", s) for s in self.rates[:1]]
        shown += [("gradients", s) for s in self.gradients[:1]]
        return tuple(Chart(shown_name(s.name), points(s.steps, s.values), role=role) for role, s in shown if s.size > 1)

    def location(self, series: Series, index: int, note: str | None = None) -> Location:
        """Where the point `index` of `series` stands."""
        path = self.reading.files[series.files[index]] if series.files else self.path
        step, place = series.steps[index], series.places[index]
        if self.reading.located_by == "byte":
            return Location(path, byte_offset=place, step=step, note=note)
        return Location(path, line=place, step=step, note=note)

    def places(self, series: Series, indices: Iterable[int]) -> Places:
        """The places of these points of `series`."""
        return Places(*(self.location(series, index) for index in indices))
