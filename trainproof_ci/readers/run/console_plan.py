"""What is done with the lines of console text that have one template."""

from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import re

    from trainproof_ci.readers.run.columns import Block
    from trainproof_ci.readers.run.console_lines import Template


class Plan:
    """What to do with the lines of one template: where their numbers go, and whether a loss is among them.

    A plan that is used often gets a pattern of its own, which takes its lines apart faster than looking for numbers; and
    it remembers the plan that came after it, since logs repeat.
    """

    __slots__ = ("block", "loss", "next", "pattern", "template", "uses")

    def __init__(self, shape: "Template", block: "Block | None", *, loss: bool) -> None:
        self.template, self.block, self.loss = shape, block, loss
        self.uses = 0
        self.pattern: re.Pattern[str] | None = None
        self.next: Plan | None = None
