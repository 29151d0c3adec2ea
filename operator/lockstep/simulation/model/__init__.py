"""The simulated cluster: jobs, nodes, speed-ups, promises."""
