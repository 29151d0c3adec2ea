"""Owners who come and go unannounced: when they are there, and what can be forecast of it."""
