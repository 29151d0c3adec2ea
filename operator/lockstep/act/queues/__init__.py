"""Workloads of Kueue for GangJobs in queues."""
