"""Gangs whose pods other controllers or users create: which pods exist, and how the planner sees them."""
