"""Rules about a environment."""
