"""The answers behind commands for users: explanations, plans, the queue, logs, profiles, requeueing, new GangJobs."""
