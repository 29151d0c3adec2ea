"""Simulates whole queues: does it decide well? One file a policy, in ``policies``."""
