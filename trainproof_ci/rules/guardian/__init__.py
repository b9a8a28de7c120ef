"""Rules that only a guardian can apply: they need the clock of a run that is still going on."""
