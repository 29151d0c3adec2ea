"""Follows gangs that hold nodes: starts, outcomes, and what their run times teach."""
