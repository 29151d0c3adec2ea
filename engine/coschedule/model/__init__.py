"""What the planner of a queue and the papers' problems share: numbers, run times, goals, and reading JSON values."""
