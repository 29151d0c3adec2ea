"""Follows gangs that hold nodes: their starts, their outcomes, and what is learned from their run times."""
