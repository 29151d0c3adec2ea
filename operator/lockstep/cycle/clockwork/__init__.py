"""The timing of the cycle: when it runs, and how it divides long work."""
