"""What to do now: follow, snapshot, plan, act, report."""
