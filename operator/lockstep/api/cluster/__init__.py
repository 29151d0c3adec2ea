"""Reads nodes, volumes, quotas, budgets, and the other objects of a cluster that a plan depends on."""
