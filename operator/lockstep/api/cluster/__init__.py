"""Parses nodes, volumes, quotas, budgets, and the other objects of a cluster on which a plan depends."""
