"""Answers about sweeps and their runs: explanations, plans, logs, and requeued runs."""
