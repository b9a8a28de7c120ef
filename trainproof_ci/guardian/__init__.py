"""The guardian judges a training run while it still burns hours: outside the process (`watch`) or inside it.

It has no rules of its own. It judges the log so far with the engine that `check` uses, so that its last verdict is
the one `check` gives the finished log; all it adds is when to look and when a FAIL is firm enough to stop a run for.
"""
