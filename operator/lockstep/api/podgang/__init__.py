"""Gangs whose pods others create, on the wire."""
