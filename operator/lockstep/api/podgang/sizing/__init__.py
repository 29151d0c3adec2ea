"""Owners that get a size, on the wire."""
