"""Supposes that a file were applied: which Gangs it has, and which of its pods would wait for nodes."""
