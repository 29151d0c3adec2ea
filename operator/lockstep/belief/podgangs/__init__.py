"""Gangs whose pods others create: which pods are there, and what the planner makes of them."""
