"""Parts of the spec that the planner gets for the pods of a Gang."""
