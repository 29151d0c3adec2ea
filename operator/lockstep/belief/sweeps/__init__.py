"""Sweeps in the cache, with the GangJobs of their runs."""
