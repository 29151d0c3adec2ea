"""Wakes the cycle: turns, batches, alarms."""
