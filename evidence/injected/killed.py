"""A checkpoint whose writer was killed with `kill -9` in the middle of `torch.save`."""

import os
import pathlib
import shutil
import signal
import tempfile

import torch

HERE = pathlib.Path(__file__).resolve().parent
NAME = "pytorch_model.bin"
ATTEMPTS = 200


def make(folder: pathlib.Path) -> None:
    """Save the base model in a child process and kill it mid-write; the bytes that reached the disk are the evidence."""
    import model

    base = model.load_base(HERE / "base")
    weights = {name: tensor.clone() for name, tensor in base.state_dict().items()}
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / NAME
        torch.save(weights, path)
        whole = path.stat().st_size
        for _ in range(ATTEMPTS):
            path.unlink(missing_ok=True)
            kill_mid_save(weights, path)
            if path.exists() and 0 < path.stat().st_size < whole:
                break
        else:
            raise SystemExit(f"the save was never caught half-way in {ATTEMPTS} attempts")
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / NAME)
        print(f"killed mid-save: {path.stat().st_size} of {whole} bytes were written")


def kill_mid_save(weights: dict[str, torch.Tensor], path: pathlib.Path) -> None:
    child = os.fork()
    if child == 0:
        torch.save(weights, path)
        os._exit(0)
    while not (path.exists() and path.stat().st_size) and os.waitpid(child, os.WNOHANG) == (0, 0):
        pass
    try:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    except (ProcessLookupError, ChildProcessError):  # it had already finished: the next attempt may be luckier
        return
