"""Rules about a run."""
