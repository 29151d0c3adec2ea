"""Learns from finished runs how the run time depends on the size and on the kind of nodes."""
