"""Nodes as arrays, with a column for each resource."""
