"""The cycle: follow changes, draw a snapshot, plan, act and report."""
