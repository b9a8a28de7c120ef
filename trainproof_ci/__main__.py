"""`python -m trainproof_ci`, or this file run by its path with `python -I`, which keeps the checkout off the path."""

import sys

if __name__ == "__main__":
    if not __package__:
        import os

        sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from trainproof_ci.process import run

    run()
