"""Facts about GangSweeps: specs, statuses, runs, and how the runs have ended."""
