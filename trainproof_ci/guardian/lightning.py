"""The guardian as a callback of Lightning.

    from trainproof_ci.guardian.lightning import GuardianCallback
    trainer = Trainer(..., callbacks=[GuardianCallback(policy="stop_on_fail")])

Nothing of `lightning` is imported until a callback is made.
"""

import os

from trainproof_ci.guardian.inside import Guardian, numbers
from trainproof_ci.guardian.looking import POLICIES
from trainproof_ci.guardian.together import agreed
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainproof_ci.model import Report

FOLDER = "trainproof"
ASKED_EVERY = 5
"""Steps after which several processes agree on whether to stop."""


class _Guardian:
    """What the callback does; every method is named and called as `lightning.pytorch.Callback` says."""

    def __init__(self, policy: str = "warn", *, folder: str | None = None, config: str | None = None) -> None:
        super().__init__()
        if policy not in POLICIES:
            Guardian("unused", policy=policy)
        self.policy, self.folder, self.config = policy, folder, config
        self.guardian: Guardian | None = None
        self.report: Report | None = None

    def on_train_start(self, trainer: Any, module: Any) -> None:
        """Begin a log of this run; only the main process of several guards it."""
        del module
        self._ended()
        self.report = None
        if trainer.is_global_zero:
            folder = self.folder or os.path.join(trainer.default_root_dir, FOLDER)
            self.guardian = Guardian(folder, policy=self.policy, config=self.config)

    def on_train_batch_end(self, trainer: Any, module: Any, outputs: Any, *_: Any) -> None:
        """Record the loss of the batch, what was logged and the learning rate, and look when it is time."""
        del module
        stop = self._recorded(trainer, outputs) if self.guardian is not None else False
        if self.policy == "stop_on_fail" and trainer.global_step % ASKED_EVERY == 0:
            stop = agreed(stop, trainer.strategy.root_device)
        elif trainer.world_size > 1:
            return
        if stop:
            trainer.should_stop = True

    def _recorded(self, trainer: Any, outputs: Any) -> bool:
        """Record the numbers of this batch; whether the run should stop."""
        assert self.guardian is not None
        row = {name: value for name, value in numbers(trainer.logged_metrics).items() if "val" not in name}
        loss = outputs.get("loss") if isinstance(outputs, dict) else outputs
        row = {**_rates(trainer), **row, **({} if "loss" in row else numbers({"loss": loss}))}
        return self.guardian.log(trainer.global_step, **row)

    def on_validation_epoch_end(self, trainer: Any, module: Any) -> None:
        """Record what validation logged."""
        del module
        row = {name: value for name, value in numbers(trainer.callback_metrics).items() if "val" in name}
        if self.guardian is not None and row and not trainer.sanity_checking:
            self.guardian.log(trainer.global_step, **row)

    def on_train_end(self, trainer: Any, module: Any) -> None:
        """Judge the finished log: the verdict of `check`."""
        del trainer, module
        self._ended()

    def on_exception(self, trainer: Any, module: Any, exception: BaseException) -> None:
        """Judge the log so far: training ends here."""
        del trainer, module, exception
        self._ended()

    def _ended(self) -> None:
        guardian, self.guardian = self.guardian, None
        if guardian is not None:
            self.report = guardian.finish()


def _rates(trainer: Any) -> dict[str, float]:
    groups = [group for optimizer in trainer.optimizers for group in optimizer.param_groups]
    return {"learning_rate": float(groups[0]["lr"])} if groups else {}


def __getattr__(name: str) -> Any:
    """Build the callback class when it is first asked for."""
    if name != "GuardianCallback":
        raise AttributeError(name)
    made = type("GuardianCallback", (_Guardian, _callback()), {"__doc__": _Guardian.__doc__, "__module__": __name__})
    globals()[name] = made
    return made


def _callback() -> Any:
    """Lightning's own class, under either of the names that the package goes by."""
    from importlib import import_module

    try:
        return import_module("lightning.pytorch").Callback
    except ImportError:
        return import_module("pytorch_lightning").Callback
