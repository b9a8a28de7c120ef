"""The commands, one file each: `configure(parser)` says what it takes, `run(arguments)` does it and returns the exit code."""
