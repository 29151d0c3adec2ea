"""Pods by node and by label, and the nodes that their affinity excludes."""
