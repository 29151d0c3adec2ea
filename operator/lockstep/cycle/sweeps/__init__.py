"""Follows sweeps: which runs are created, deleted and counted, and how many members they get."""
