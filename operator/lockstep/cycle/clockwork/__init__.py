"""The timing of the cycle: when it runs, and how long work is divided."""
