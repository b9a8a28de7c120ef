"""Rules over several things that one run will use together."""
