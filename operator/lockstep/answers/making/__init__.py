"""GangJobs that somebody is to submit: of a few answers, or of a Job or JobSet."""
