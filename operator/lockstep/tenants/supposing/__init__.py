"""Plans with a GangJob that is not there: the question, its check, and the coarse plan."""
