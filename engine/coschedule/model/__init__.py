"""Shared by the planner of a queue and the papers' problems: numbers, run times, goals, and readers of JSON values."""
