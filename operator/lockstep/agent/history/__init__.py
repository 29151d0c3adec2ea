"""Keeps the history of a node's load, and forecasts from it."""
