"""`check` over everything that a run is about to use, the checks across it, and what was not looked at."""

from collections.abc import Iterator, Sequence

from trainproof_ci import registry
from trainproof_ci.engine import check, judge_facts, not_judged
from trainproof_ci.errors import Unreadable
from trainproof_ci.model import Coverage, Report, TargetReport
from trainproof_ci.rules.preflight.crossed import RULES, EmbeddingSeen, Together, TokenizerSeen
from trainproof_ci.typed import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target

CHATS = frozenset({"messages", "sharegpt", "gemini-contents", "bedrock-converse", "cohere-chat", "mistral-instruct"})
EMBEDDINGS = ("wte.weight", "embed_tokens.weight", "word_embeddings.weight", "tok_embeddings.weight", "embed_in.weight")
"""How the token embedding ends in the names of GPT-2, Llama and its kin, BERT and BLOOM, the original Llama, NeoX."""
EXPECTED = {
    "dataset": "dataset",
    "tokenizer": "tokenizer",
    "checkpoint": "checkpoint to begin from",
    "manifest": "manifest",
}


class Resuming(NamedTuple):
    """What a run will resume from: the paths of checkpoints that are among the targets, and its configuration."""

    checkpoints: frozenset[str]
    configuration: str | None = None


def preflight(targets: "Sequence[Target]", settings: "Settings", resuming: Resuming | None = None) -> Report:
    """One report over the targets: their own verdicts, and the checks across them at the target they are about."""
    report = check(targets, settings)
    together = _together(targets, report, settings)
    crossed = judge_facts(targets[0], together, RULES, settings) if targets else None
    judged = [_with(target, crossed, first=index == 0) for index, target in enumerate(report.targets)]
    if resuming is not None:
        judged = [_resuming(each, targets, report, resuming, settings) for each in judged]
    missing = [name for kind, name in EXPECTED.items() if not any(target.kind == kind for target in targets)]
    looked = [f"not checked, for none was named: {', '.join(missing)}"] if missing else []
    if not any(target.kind == "environment" for target in targets):
        looked.append("not checked: the environment; say what it needs with --import, --memory, --disk")
    return report._replace(targets=tuple(judged), notes=(*report.notes, *looked))


def _resuming(
    judged: TargetReport, targets: "Sequence[Target]", report: Report, resuming: Resuming, settings: "Settings"
) -> TargetReport:
    """A manifest's report with what the rules of a resume say; any other report as it is."""
    if judged.kind != "manifest":
        return judged
    from trainproof_ci.resuming import resumed  # most runs begin anew

    target = next(each for each in targets if (each.path, each.kind) == (judged.path, judged.kind))
    checkpoints = [each for each in report.targets if each.kind == "checkpoint" and each.path in resuming.checkpoints]
    facts = _facts(target, settings)
    if facts is None:  # its own report says why
        return judged
    try:
        more = resumed(target, facts, checkpoints, resuming.configuration, settings)
    except Unreadable as why:
        more = not_judged(target, why, settings)
    checks = Coverage((*judged.checks.ran, *more.checks.ran), {**judged.checks.skipped, **more.checks.skipped})
    findings, ignored = (*judged.findings, *more.findings), (*judged.ignored, *more.ignored)
    return judged._replace(findings=findings, ignored=ignored, checks=checks)


def _with(target: TargetReport, crossed: TargetReport | None, *, first: bool) -> TargetReport:
    """The target with the findings across targets that stand in it, and, once, with what ran across all."""
    if crossed is None:
        return target
    mine = tuple(finding for finding in crossed.findings if finding.location.path == target.path)
    if first:
        ran, skipped = (*target.checks.ran, *crossed.checks.ran), {**target.checks.skipped, **crossed.checks.skipped}
        target = target._replace(checks=Coverage(ran, skipped))
    return target._replace(findings=(*target.findings, *mine))


def _together(targets: "Sequence[Target]", report: Report, settings: "Settings") -> Together:
    from trainproof_ci.readers.manifest import listed_paths

    by_kind = {kind: [target for target in targets if target.kind == kind] for kind in EXPECTED}
    shapes = {target.path: str(target.facts.get("shape", "")) for target in report.targets if target.kind == "dataset"}
    return Together(
        datasets=tuple(target.path for target in by_kind["dataset"] if target.is_file),
        chats=tuple(path for path, shape in shapes.items() if shape in CHATS),
        tokenizers=tuple(seen for target in by_kind["tokenizer"] for seen in _tokenizer(target, settings)),
        embeddings=tuple(seen for target in by_kind["checkpoint"] for seen in _embeddings(target, settings)),
        manifests=tuple(target.path for target in by_kind["manifest"]),
        listed=frozenset(path for target in by_kind["manifest"] for path in listed_paths(target)),
    )  # fmt: skip


def _facts(target: "Target", settings: "Settings") -> Any:
    """The facts of a target that was judged already, None where it cannot be read: its own report says why."""
    if target.refusal is not None:
        return None
    try:
        return registry.facts_module(target.kind).read(target, settings, ())
    except Unreadable:
        return None


def _tokenizer(target: "Target", settings: "Settings") -> Iterator[TokenizerSeen]:
    facts = _facts(target, settings)
    if facts is None:
        return
    whole = facts.files.get("tokenizer.json")
    ids = list(_ids(whole.value)) if whole is not None else []
    yield TokenizerSeen(target.path, facts.has_template, max(ids, default=None))


def _ids(whole: Any) -> Iterator[int]:
    """Every token id that tokenizer.json gives: a vocabulary of names, one of (token, score) pairs, the added tokens."""
    model = whole.get("model")
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    if isinstance(vocabulary, dict):
        yield from (number for number in vocabulary.values() if type(number) is int)
    elif isinstance(vocabulary, list):
        yield len(vocabulary) - 1
    for token in whole.get("added_tokens") or ():
        if isinstance(token, dict) and type(token.get("id")) is int:
            yield token["id"]


def _embeddings(target: "Target", settings: "Settings") -> Iterator[EmbeddingSeen]:
    """The token embedding of each checkpoint: of those that are called so the one with most rows, as parts have their own."""
    facts = _facts(target, settings)
    matrices = [
        (tensor.shape[0], file.path, tensor.name)
        for file in (facts.files if facts is not None else ())
        for tensor in file.tensors
        if tensor.section == "model" and len(tensor.shape) == 2
    ]
    if any(name.endswith(EMBEDDINGS) for _, _, name in matrices):
        rows, path, _ = max(each for each in matrices if each[2].endswith(EMBEDDINGS) or "embed" in each[2])
        yield EmbeddingSeen(path, rows)
