"""Rules about a manifest."""
