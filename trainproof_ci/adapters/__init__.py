"""Adapters: environment and arguments in, files and requests out."""
