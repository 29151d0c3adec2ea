"""Run times of past runs, the laws that are learned of them, and the work that remains."""
