"""Simulates whole queues, to compare Lockstep with other schedulers; all of them are in ``policies``."""
