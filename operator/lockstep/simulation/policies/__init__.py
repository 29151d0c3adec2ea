"""Who starts now, on which nodes: Lockstep's planner, and what it is compared with."""
