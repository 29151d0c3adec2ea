"""Sweeps: many runs of one program, and the size that all of them get."""
