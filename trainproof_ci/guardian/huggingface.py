"""The guardian as a callback of the Hugging Face Trainer.

    from trainproof_ci.guardian.huggingface import GuardianCallback
    trainer = Trainer(..., callbacks=[GuardianCallback(policy="stop_on_fail")])

Nothing of `transformers` is imported until a callback is made.
"""

import os
from typing import TYPE_CHECKING, Any

from trainproof_ci.guardian.inside import Sentinel
from trainproof_ci.guardian.looking import POLICIES

if TYPE_CHECKING:
    from trainproof_ci.model import Report

FOLDER, STATE = "trainproof", "trainer_state.json"


class _Guardian:
    """What the callback does; every method is named and called as `TrainerCallback` says."""

    def __init__(self, policy: str = "warn", *, folder: str | None = None, config: str | None = None) -> None:
        super().__init__()
        if policy not in POLICIES:
            Sentinel("unused", policy=policy)
        self.policy, self.folder, self.config = policy, folder, config
        self.report: Report | None = None
        self.sentinel: Sentinel | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Begin a log of this run; only the main process of several guards it."""
        del control
        self.report = None
        if state.is_world_process_zero:
            folder = self.folder or os.path.join(args.output_dir, FOLDER)
            self.sentinel = Sentinel(os.path.join(folder, STATE), policy=self.policy, config=self.config)

    def on_log(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Judge the history so far, unless the last look was too short a time ago."""
        del args
        if self.sentinel is None or not self.sentinel.due:
            return
        _write(state, self.sentinel.log)
        if self.sentinel.look():
            control.should_training_stop = True

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Judge the finished history: the verdict of `check`."""
        del args, control
        if self.sentinel is not None:
            _write(state, self.sentinel.log)
            self.report = self.sentinel.finish()


def _write(state: Any, path: str) -> None:
    """The Trainer's own state, as it saves it, whole or not at all."""
    temporary = f"{path}.tmp"
    state.save_to_json(temporary)
    os.replace(temporary, path)


def __getattr__(name: str) -> Any:
    """Build the callback class when it is first asked for."""
    if name != "GuardianCallback":
        raise AttributeError(name)
    from transformers import TrainerCallback  # the caller trains with it, so it is there

    made = type(
        "GuardianCallback", (_Guardian, TrainerCallback), {"__doc__": _Guardian.__doc__, "__module__": __name__}
    )
    globals()[name] = made
    return made
