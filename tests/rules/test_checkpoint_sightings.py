"""Whatever a reader of checkpoints can come upon is told by one rule, and by no other."""

from collections import defaultdict

import pytest

from trainproof_ci.errors import StandDown
from trainproof_ci.readers.checkpoint.facts import Checkpoint, CheckpointFile
from trainproof_ci.readers.checkpoint.sightings import Seen, Sighting
from trainproof_ci.registry import Rule, rules_for


def told(rule: Rule, checkpoint: Checkpoint) -> list[str]:
    assert rule.judge is not None
    try:
        return [firing.message for firing in rule.judge(checkpoint, rule.limits)]
    except StandDown:
        return []


@pytest.mark.parametrize("what", Seen)
def test_one_rule_tells_it(what: Seen) -> None:
    seen = Sighting(what, "7", "8", told=defaultdict(lambda: "a fact"))
    checkpoint = Checkpoint("m.pt", "torch-zip", (CheckpointFile("m.pt", "torch-zip", 9, (seen,)),))
    messages = [told(rule, checkpoint) for rule in rules_for("checkpoint")]
    assert [len(each) for each in messages if each] == [1]
