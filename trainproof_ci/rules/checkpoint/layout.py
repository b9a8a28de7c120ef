"""A checkpoint of several files, and what it takes to go on from it."""

from collections.abc import Iterator

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.checkpoint.facts import Checkpoint
from trainproof_ci.readers.checkpoint.sightings import Seen
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.checkpoint.sighted import Words, advised, fired

NOT_THERE: Words = {
    Seen.NO_WEIGHTS: "the checkpoint folder holds no model weights: they were not committed, or the save was killed before them",
    Seen.NO_TRAINER_STATE: "trainer_state.json, which a Trainer writes last, is not there: the save was killed, or the folder was copied in part",
    Seen.LATEST_MISSING: "`latest` names a checkpoint that is not there: its save was killed, or it was not kept",
}

SHARDS: Words = {
    Seen.INDEX_UNREADABLE: "the index of the shards cannot be read",
    Seen.SHARDS_MISSING: "the index names {wanted} shards, of which {gone} are not there, the first {first} (line {line})",
    Seen.TENSORS_ASTRAY: "tensors of the index are not in the shard that it names for them: a shard is another one than was saved",
    Seen.TOTAL_DIFFERS: "the shards together are not of the size that the index gives",
    Seen.NO_MODEL_STATES: "the folder holds no model states, only those of the optimizer",
    Seen.RANKS_MISSING: "the {states} states of {gone} ranks are not there, the first of rank {first}",
    Seen.PIECES_MISSING: "{gone} of the files that .metadata names are not there",
}


@rule("TP-CKPT-MISSING", Severity.FAIL)
def missing(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """A part that every checkpoint of its kind has is not there.

    Why: a folder without weights, or without the file that is written last, is what a killed save leaves; it is also
    what a repository leaves that does not commit weights, so it only warns where that may be the reason.
    Fix: resume from the checkpoint that the message names.
    Stands down: never.
    """
    yield from advised(checkpoint, fired(checkpoint, NOT_THERE, mild=frozenset(NOT_THERE)))


@rule("TP-CKPT-SHARD", Severity.FAIL)
def shard(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """A shard that the checkpoint names is not there, or is another one than was saved.

    Why: the index (or the number of ranks) says which files belong together; one of another save loads as a mixture.
    Fix: fetch or save all shards of one step again. A different total size only warns: some writers count tied
    weights twice.
    Stands down: never.
    """
    yield from advised(checkpoint, fired(checkpoint, SHARDS, mild=frozenset({Seen.TOTAL_DIFFERS})))


@rule("TP-CKPT-NO-OPTIMIZER", Severity.WARN)
def no_optimizer(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """Training state is missing, so that a resume would begin its part anew.

    Why: without the optimizer the moments restart at zero and the loss jumps; without the scheduler the learning rate
    starts over; without the random state the order of the data differs.
    Fix: save them with the weights (`save_only_model=False`, `optimizer.state_dict()`), or start a new run knowingly.
    Stands down: when nothing says that the checkpoint is meant to be resumed from: bare weights with no epoch, step or
    scheduler beside them.
    """
    place = Places(Location(checkpoint.path, line=1))
    if checkpoint.missing_state:
        missing_ = ", ".join(checkpoint.missing_state)
        yield Firing(
            f"the checkpoint folder has no {missing_} state: resuming would restart it",
            f"no {missing_} state",
            "all state of a run",
            place,
        )
        return
    model = any(tensor.section == "model" for file in checkpoint.files for tensor in file.tensors)
    if len(checkpoint.files) != 1 or not model or not checkpoint.files[0].progress:
        raise StandDown("nothing here says that a run is to resume from it")
    if checkpoint.optimizer == "none":
        yield Firing(
            "the checkpoint has the progress of a run and no optimizer state: resuming would restart the moments",
            "no optimizer state",
            "optimizer state",
            place,
        )
