"""Numbers, run times, goals and readers of JSON values, which the planner and the problems of the papers share."""
