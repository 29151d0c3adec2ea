"""Watches the API server, and keeps the cache equal to its objects."""
