"""GangJobs in queues of Kueue."""
