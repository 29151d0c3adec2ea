"""Handles objects in queues of Kueue: Workloads of GangJobs, and sizes of Jobs."""
