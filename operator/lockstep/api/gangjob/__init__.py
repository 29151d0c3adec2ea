"""Reads and writes a GangJob's spec and status."""
