"""Timing of the cycle: when it runs, and how work that takes long is divided."""
