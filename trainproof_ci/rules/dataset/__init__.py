"""Rules about a dataset."""
