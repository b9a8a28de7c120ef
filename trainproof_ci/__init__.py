"""A deterministic linter for what goes into and comes out of a training run."""

__version__ = "0.1.0"
