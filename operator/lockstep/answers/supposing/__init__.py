"""Supposes that a file is applied: which Gangs it has, and which of its pods would wait for nodes."""
