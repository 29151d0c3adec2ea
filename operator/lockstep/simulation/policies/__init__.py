"""Which jobs start now, and on which nodes: Lockstep's planner, and the policies that it is compared with."""
