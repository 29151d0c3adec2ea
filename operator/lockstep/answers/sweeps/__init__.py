"""Runs of sweeps: put back into the queue, and their logs."""
