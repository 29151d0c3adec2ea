"""The planner of a whole queue of gangs, which the operator calls in each cycle."""
