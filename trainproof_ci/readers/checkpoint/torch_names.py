"""The tensors of a walked `data.pkl` with their names, and which of them are weights, by what lies beside them."""

from collections.abc import Iterator, Sequence

from trainproof_ci.places import safe_key
from trainproof_ci.readers.checkpoint.facts import Tensor
from trainproof_ci.readers.checkpoint.pickle_nodes import Call, Global, Mapping, Persistent
from trainproof_ci.typed import Any, NamedTuple

NOT_WEIGHTS = frozenset(
    {"callbacks", "loops", "lr_schedulers", "scheduler", "lr_scheduler", "schedulers", "hyper_parameters", "hparams", "args",
     "rng_state", "rng", "random_state", "random_rng_state", "cuda_rng_state", "metrics", "train_metrics", "scaler", "amp", "history"}
)  # fmt: skip
MODULE_PARTS = frozenset({"_parameters", "_buffers", "_modules"})
WEIGHT_NAMES = ("weight", "bias", "running_mean", "running_var", "gamma", "beta")
"""What the names of parameters end in, whatever the model."""
MEASURED = frozenset(
    {"loss", "losses", "acc", "accuracy", "score", "scores", "metric", "metrics", "best", "history", "perplexity", "ppl", "error"}
)  # fmt: skip
"""Words for what a run measures."""
MOST_TENSORS = 2_000_000


class Home:
    """A container that holds tensors: how many entries it has, and what speaks for its tensors being weights."""

    __slots__ = ("entries", "module", "tensors", "weights")

    def __init__(self, entries: int, *, module: bool = False) -> None:
        self.entries, self.module, self.tensors, self.weights = entries, module, 0, 0

    @property
    def is_state(self) -> bool:
        """Whether it is a module's part or a dictionary of states: mostly tensors, and a weight among them."""
        return self.module or (self.weights > 0 and self.tensors * 2 > self.entries)


class Step(NamedTuple):
    """Where a walk stands: the node, the keys that lead to it, its section, the container around it, its last key."""

    node: Any
    path: tuple[str, ...]
    section: str
    home: Home
    key: str


def named(root: Any, rebuilt: dict[int, Tensor]) -> tuple[Tensor, ...]:
    """The tensors that can be reached from `root`, each with its name and its section."""
    found = list(_reached(root, rebuilt))
    for tensor, step in found:
        step.home.tensors += 1
        step.home.weights += _speaks_for_weights(tensor, step.key)
    alone = not any(step.home.is_state for _, step in found)
    return tuple(
        tensor._replace(section="other")
        if step.section == "model" and not _is_weight(tensor, step, alone=alone)
        else tensor
        for tensor, step in found
    )


def _speaks_for_weights(tensor: Tensor, key: str) -> bool:
    """Whether a tensor makes its container one of weights: a matrix, a module's path, a name that parameters bear."""
    return key.endswith(WEIGHT_NAMES) or (not _is_measured(key) and ("." in key or _is_matrix(tensor)))


def _is_weight(tensor: Tensor, step: Step, *, alone: bool) -> bool:
    """Whether a tensor is part of a model, not something that a run measured and kept beside it.

    Beside a model a matrix is one, too; a vector only where the file holds no model (`alone`), a single number never.
    """
    if step.key.endswith(WEIGHT_NAMES):
        return True
    if step.home.is_state:
        return tensor.numel > 1 or not _is_measured(step.key)
    return not _is_measured(step.key) and (_is_matrix(tensor) or (alone and tensor.numel > 1))


def _is_matrix(tensor: Tensor) -> bool:
    return len(tensor.shape) > 1 and tensor.numel > 1


def _is_measured(key: str) -> bool:
    words = key.lower().replace(".", "_").replace("/", "_").replace("-", "_").split("_")
    return not MEASURED.isdisjoint(words)


def _reached(root: Any, rebuilt: dict[int, Tensor]) -> Iterator[tuple[Tensor, Step]]:
    """The tensors below `root` and where they are. A container is entered once."""
    waiting = [Step(root, (), "model", Home(1), "")]
    seen: set[int] = set()
    count = 0
    while waiting:
        step = waiting.pop()
        node = step.node
        tensor = rebuilt.get(id(node))
        if tensor is not None:
            count += 1
            if count > MOST_TENSORS:
                return
            yield tensor._replace(name=".".join(step.path), section=step.section), step
        elif (
            isinstance(node, (Mapping, list, tuple))
            and id(node) not in seen
            and not isinstance(node, (Global, Persistent))
        ):
            seen.add(id(node))
            waiting += reversed(list(_children(step)))


def _children(step: Step) -> Iterator[Step]:
    node, path, section, key = step.node, step.path, step.section, step.key
    if isinstance(node, Mapping) and node.pairs:
        inside = "optimizer" if is_optimizer(node) else section
        around = Home(len(node.pairs), module=key in MODULE_PARTS)
        for name, value in node.pairs:
            shown = name if isinstance(name, str) else ""
            yield Step(value, path + _steps(name), _section(name, path, inside), around, shown)
    if isinstance(node, Call):
        yield step._replace(node=node.arguments)
        yield step._replace(node=node.state)
        yield from _items(node.items, step)
    elif isinstance(node, list):
        yield from _items(node, step)
    elif isinstance(node, tuple):
        # the two parts of a state are the object's own dictionary and its slots, not items of a sequence
        yield from (step._replace(node=item) for item in node)


def _items(items: Sequence[Any], step: Step) -> Iterator[Step]:
    home = Home(len(items))
    for index, item in enumerate(items):
        yield step._replace(node=item, path=(*step.path, str(index)), home=home)


def _steps(key: Any) -> tuple[str, ...]:
    if not isinstance(key, str):
        return (str(key) if isinstance(key, int) else "<key>",)
    return () if key in MODULE_PARTS else tuple(safe_key(part) for part in key.split("."))


def _section(key: Any, path: tuple[str, ...], inside: str) -> str:
    if inside != "model" or not isinstance(key, str) or len(path) > 1:
        return inside
    if key.lower() in NOT_WEIGHTS:
        return "other"
    return "optimizer" if key.lower().startswith("optim") else inside


def is_optimizer(node: Mapping) -> bool:
    """Whether a dictionary is the state of an optimizer of torch."""
    return {"state", "param_groups"} <= set(node.keys())
