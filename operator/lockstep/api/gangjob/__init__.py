"""Parses and formats the spec and status of a GangJob."""
