"""Rules about a checkpoint."""
