"""Measures a node: processors, cgroups, memory, the presence of its owner."""
