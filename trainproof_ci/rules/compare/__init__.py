"""Rules about a compare."""
