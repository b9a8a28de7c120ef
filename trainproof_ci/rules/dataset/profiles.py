"""What the services and trainers that `target:` names take: shapes of records, fewest and most of them, bytes."""

from trainproof_ci.typed import NamedTuple


class Profile(NamedTuple):
    """The demands of one target; None and empty where it has none or they are not known.

    `shapes` are those that it takes, `few` and `many` the fewest and most records, `evaluated` the most of an
    evaluation split. `by_model` says that the numbers differ between its models: breaking them is then a warning.
    """

    shapes: frozenset[str] = frozenset()
    few: int | None = None
    many: int | None = None
    evaluated: int | None = None
    bytes: int | None = None
    by_model: bool = False
    alternate: bool = False
    """Whether it rejects conversations in which user and assistant do not take turns."""
    closed: bool = False
    """Whether it rejects messages with keys that it does not know."""
    mixed: bool | None = None
    """Whether it takes message contents that are text here and lists of parts there; None where that depends."""


COMPLETIONS = frozenset({"prompt-completion", "kto"})
CHAT = frozenset({"messages", "openai-preference"})
OPENAI = Profile(CHAT | COMPLETIONS, few=10, bytes=512 << 20, closed=True, mixed=True)
NOVA = Profile(few=8, many=20_000, by_model=True)
"""Amazon's own models of Bedrock, whose records say `schemaVersion`."""
ANY = Profile()

PROFILES = {
    "openai": OPENAI,
    "azure-openai": OPENAI,
    "together": Profile(CHAT | COMPLETIONS | {"text", "preference", "pretokenized"}, bytes=25 << 30, alternate=True),
    "fireworks": Profile(CHAT | COMPLETIONS, few=3, many=3_000_000),
    "anyscale": Profile(frozenset({"messages"}), alternate=True),
    "vertex": Profile(
        CHAT | COMPLETIONS | {"gemini-contents", "preference"}, evaluated=5_000, bytes=1 << 30, by_model=True
    ),
    "bedrock": Profile(CHAT | COMPLETIONS | {"bedrock-converse", "prompt-only", "preference", "text"}),
    "cohere": Profile(CHAT | COMPLETIONS | {"cohere-chat", "text-label"}),
    "mistral": Profile(frozenset({"messages", "mistral-instruct", "text", "preference"}), alternate=True),
    "llamafactory": Profile(alternate=True),
    "hf-datasets": Profile(mixed=False),
    "nemo": Profile(frozenset({"nemo-manifest"})),
}
"""Sources: the documentation of the services; for Nova, its own validator. Targets that are not here demand nothing."""


def profile_of(target: str | None, shape: str | None) -> Profile:
    """The demands of `target` on a file of `shape`."""
    if target == "bedrock" and shape == "bedrock-converse":
        return NOVA._replace(shapes=PROFILES["bedrock"].shapes)
    return PROFILES.get(target or "", ANY)
