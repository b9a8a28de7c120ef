"""What only shows when a dataset, a tokenizer, a checkpoint and a manifest are looked at together."""

from collections.abc import Iterator, Mapping

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Chart, Firing, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.registry import Limits, rule
from trainproof_ci.typed import NamedTuple


class TokenizerSeen(NamedTuple):
    """A tokenizer: its file, whether it has a chat template, and its highest token id (None: not known from its files)."""

    path: str
    template: bool
    highest: int | None


class EmbeddingSeen(NamedTuple):
    """The token embedding of a checkpoint and its number of rows."""

    path: str
    rows: int


class Together(NamedTuple):
    """What a run is about to use. `datasets` are all, `chats` those of messages, `listed` what manifests name."""

    datasets: tuple[str, ...] = ()
    chats: tuple[str, ...] = ()
    tokenizers: tuple[TokenizerSeen, ...] = ()
    embeddings: tuple[EmbeddingSeen, ...] = ()
    manifests: tuple[str, ...] = ()
    listed: frozenset[str] = frozenset()

    def lacks(self, need: str) -> str | None:
        """Why one side of a comparison is missing, or None."""
        names = {
            "chats": "no chat dataset", "tokenizers": "no tokenizer", "manifests": "no manifest", "datasets": "no dataset",
            "embeddings": "no checkpoint whose token embedding could be read",
            "ids": "no tokenizer.json that gives ids to tokens",
        }  # fmt: skip
        there = [t for t in self.tokenizers if t.highest is not None] if need == "ids" else getattr(self, need)
        return None if there else f"{names[need]} among what is named"

    def summary(self) -> Mapping[str, object]:
        """Nothing: the targets have their own reports."""
        return {}

    def charts(self) -> tuple[Chart, ...]:
        """None."""
        return ()


@rule("TP-PRE-TEMPLATE", Severity.WARN, needs=("chats", "tokenizers"))
def chat_without_template(run: Together, limits: Limits) -> Iterator[Firing]:
    """The dataset holds chats, and no tokenizer of the run has a chat template.

    Why: the trainer then has no way to write turns as text, or falls back to a format that the model never saw.

    Fix: take the tokenizer of the chat model, or set `chat_template` before training and serving alike.

    Stands down: without a chat dataset or a tokenizer among what is named.
    """
    if any(tokenizer.template for tokenizer in run.tokenizers):
        return
    chats = Places(*(Location(path, line=1) for path in run.chats))
    related = tuple(Location(t.path, line=1, note="a tokenizer without a template") for t in run.tokenizers)
    yield Firing(
        "a chat dataset, and no tokenizer with a chat template", "0 chat templates", "at least 1", chats, related
    )


@rule("TP-PRE-VOCAB", Severity.FAIL, needs=("ids", "embeddings"))
def token_beyond_embedding(run: Together, limits: Limits) -> Iterator[Firing]:
    """The tokenizer has ids that the checkpoint's token embedding has no row for.

    Why: the first batch with such a token ends in an index error, on a GPU in a device-side assertion that names nothing.

    Fix: resize the embedding (`resize_token_embeddings`), or take the tokenizer that the checkpoint was trained with.

    Stands down: without a tokenizer.json or a readable token embedding, and with several: which belong together? An embedding with more rows than tokens is
    padding and fine.
    """
    if len(run.tokenizers) > 1 or len({embedding.rows for embedding in run.embeddings}) > 1:
        raise StandDown("several tokenizers or checkpoints; name the one pair that the run uses")
    rows = run.embeddings[0].rows
    for tokenizer in run.tokenizers:
        if tokenizer.highest is not None and tokenizer.highest >= rows:
            place = Places(Location(tokenizer.path, line=1))
            related = tuple(Location(e.path, byte_offset=0, note="the checkpoint") for e in run.embeddings)
            yield Firing(
                "a token id lies beyond the rows of the checkpoint's embedding", f"id {tokenizer.highest}",
                f"below {rows} rows", place, related,
            )  # fmt: skip


@rule("TP-PRE-UNLISTED", Severity.WARN, needs=("datasets", "manifests"))
def dataset_not_in_manifest(run: Together, limits: Limits) -> Iterator[Firing]:
    """A dataset of the run is named by no manifest.

    Why: the manifest is what says afterwards which bytes were trained on; a dataset outside it can change unseen.

    Fix: `trainproof-ci manifest write`, or name only the datasets that the run uses.

    Stands down: without a manifest among what is named.
    """
    unlisted = [path for path in run.datasets if path not in run.listed]
    if unlisted:
        places = Places(*(Location(path, line=1) for path in unlisted))
        yield Firing("a dataset is in no manifest", f"{len(unlisted)} of {len(run.datasets)} datasets", "0", places)


RULES = (chat_without_template, token_beyond_embedding, dataset_not_in_manifest)
