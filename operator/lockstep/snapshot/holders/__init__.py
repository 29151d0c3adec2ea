"""Gangs that hold nodes: expected ends, releases, and what an eviction would disrupt."""
