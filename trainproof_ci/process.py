"""The command as a process of its own: it begins and ends as fast as a process can, for most files are small."""

import gc
import os
import sys

from trainproof_ci.typed import NoReturn


def run() -> NoReturn:
    """Run the command line and exit, without taking apart what it leaves: that takes longer than a small file."""
    gc.set_threshold(50_000)  # loading modules makes much that stays; looking through it again and again takes 8 ms
    from trainproof_ci.cli import main
    from trainproof_ci.model import ExitCode

    code = main()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # a stream that was closed before the start
                stream.flush()
    except OSError:
        code = int(ExitCode.CRASH)
    if "multiprocessing" in sys.modules:  # it clears away at the end what its processes shared
        sys.exit(code)
    os._exit(code)
