"""What waits in queues of Kueue: Workloads of GangJobs, and sizes of Jobs."""
