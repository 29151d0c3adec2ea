"""Sweeps: what is known of a GangSweep, of its runs, and of how these have ended."""
