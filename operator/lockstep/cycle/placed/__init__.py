"""Follows gangs that hold nodes: starts, outcomes, and what is learned from their run times."""
