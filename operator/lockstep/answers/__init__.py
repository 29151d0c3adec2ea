"""Answers for users: explanations, plans, the queue, logs, profiles, requeueing, sizes, and new GangJobs."""
