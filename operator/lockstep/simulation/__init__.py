"""Simulates whole queues, to compare Lockstep with other schedulers. ``policies`` has one file for each."""
