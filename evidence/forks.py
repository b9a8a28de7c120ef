"""One process for each training run: no run sees another's state."""

import os
import sys
import traceback
from collections.abc import Callable


def forked(work: Callable[[], None], where: str = "") -> None:
    """Run `work` in a child process; exit when it fails, saying `where` its words stand."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    if os.waitpid(child, 0)[1] != 0:
        raise SystemExit(f"a run failed{where}")
