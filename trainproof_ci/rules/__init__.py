"""The rules, a package a kind of target. Rules judge facts and do no I/O."""
