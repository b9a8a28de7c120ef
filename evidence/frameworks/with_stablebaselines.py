"""Stable-Baselines3 with a tiny environment: progress.csv, progress.json, an event file and the tables on its console."""

import pathlib
import shutil

import task

PACKAGES = ("stable-baselines3", "gymnasium", "torch", "tensorboard")
FAULTS = ("healthy", "rate-x1000")
CONSOLE_IS_LOG = True
DATA = "an environment of one number that an action moves towards 0 (with_stablebaselines.py)"


def run(folder: pathlib.Path, fault: task.Fault) -> None:
    """A2C over three hundred rollouts, logged by its own logger at every tenth."""
    import gymnasium
    import numpy
    from make import event_file
    from stable_baselines3 import A2C
    from stable_baselines3.common.logger import configure

    class Pull(gymnasium.Env):
        """A number between -1 and 1; two actions move it, the reward is its closeness to 0."""

        observation_space = gymnasium.spaces.Box(-2.0, 2.0, (1,), numpy.float32)
        action_space = gymnasium.spaces.Discrete(2)

        def reset(self, *, seed: int | None = None, options: dict[str, object] | None = None):  # noqa: ANN201 - gymnasium's signature
            super().reset(seed=seed)
            self.at, self.left = float(self.np_random.uniform(-1, 1)), 20
            return numpy.array([self.at], numpy.float32), {}

        def step(self, action: int):  # noqa: ANN201 - gymnasium's signature
            self.at = float(numpy.clip(self.at + (0.1 if action else -0.1), -2, 2))
            self.left -= 1
            return numpy.array([self.at], numpy.float32), -abs(self.at), False, self.left == 0, {}

    model = A2C("MlpPolicy", Pull(), fault.rate / 20, seed=task.SEED, n_steps=20, device="cpu", verbose=1)
    model.set_logger(configure("logs", ["stdout", "csv", "json", "tensorboard"]))
    model.learn(6000, log_interval=10)
    for name in ("progress.csv", "progress.json"):
        shutil.copyfile(f"logs/{name}", folder / name)
    event_file(pathlib.Path("logs"), folder)
