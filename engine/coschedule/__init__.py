"""Coscheduling: facts in, plan out, with no I/O, clock, logging or randomness."""
