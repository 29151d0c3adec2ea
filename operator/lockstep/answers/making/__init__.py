"""Makes GangJobs that users can submit, from a few answers or from Jobs and JobSets."""
