"""Makes GangJobs for users to submit, from a few answers or from Jobs and JobSets."""
