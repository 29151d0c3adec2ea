"""Follows gangs that wait for others to start or end."""
