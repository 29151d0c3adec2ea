"""Preemption: which gangs are evicted so that more urgent ones can start."""
