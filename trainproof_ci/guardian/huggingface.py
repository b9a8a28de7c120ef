"""The guardian as a callback of the Hugging Face Trainer.

    from trainproof_ci.guardian.huggingface import GuardianCallback
    trainer = Trainer(..., callbacks=[GuardianCallback(policy="stop_on_fail")])

Nothing of `transformers` is imported until a callback is made.
"""

import atexit
import os

from trainproof_ci.guardian.inside import Sentinel
from trainproof_ci.guardian.looking import POLICIES
from trainproof_ci.guardian.together import agreed
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainproof_ci.model import Report

FOLDER, STATE = "trainproof", "trainer_state.json"
ASKED_EVERY = 5
"""Steps after which several processes agree on whether to stop."""


class _Guardian:
    """What the callback does; every method is named and called as `TrainerCallback` says."""

    def __init__(self, policy: str = "warn", *, folder: str | None = None, config: str | None = None) -> None:
        super().__init__()
        if policy not in POLICIES:
            Sentinel("unused", policy=policy)
        self.policy, self.folder, self.config = policy, folder, config
        self.report: Report | None = None
        self.sentinel: Sentinel | None = None
        self.stop = False

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Begin a log of this run; only the main process of several guards it."""
        del control
        self._ended()
        self.report, self.stop = None, False
        if state.is_world_process_zero:
            folder = self.folder or os.path.join(args.output_dir, FOLDER)
            self.sentinel = Sentinel(os.path.join(folder, STATE), policy=self.policy, config=self.config)
            atexit.register(self._ended)

    def on_log(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Judge the history so far, unless the last look was too short a time ago."""
        if self.sentinel is None or not self.sentinel.due or not self._written(state):
            return
        self.stop = self.sentinel.look() or self.stop
        if self.stop and args.world_size < 2:
            control.should_training_stop = True

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Of several processes, all stop at one step: some trainers log in the main process only, but all step."""
        if self.policy == "stop_on_fail" and args.world_size > 1 and state.global_step % ASKED_EVERY == 0:
            self.stop = agreed(self.stop, args.device)
            control.should_training_stop = control.should_training_stop or self.stop

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Judge the finished history: the verdict of `check`."""
        del args, control
        if self.sentinel is not None:
            self._written(state)
        self._ended()

    def _written(self, state: Any) -> bool:
        """Whether the Trainer's state is in our log. Where it cannot be written, that is said, and guarding ends."""
        assert self.sentinel is not None
        try:
            _write(state, self.sentinel.log)
        except OSError as error:
            self.sentinel.give_up(error)
            self._ended()
            return False
        return True

    def _ended(self) -> None:
        """Judge what there is and write the report: at the end of training, and where an exception ended it before."""
        sentinel, self.sentinel = self.sentinel, None
        if sentinel is not None:
            atexit.unregister(self._ended)
            self.report = sentinel.finish()


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
