"""The planner of a whole queue of gangs: what the operator asks in every cycle."""
