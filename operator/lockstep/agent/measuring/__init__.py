"""Measures a node: processor time, capacity, and the presence of the node owner."""
