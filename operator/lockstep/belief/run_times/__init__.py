"""Run times of past runs, the laws that Lockstep learns from them, and the work that remains."""
