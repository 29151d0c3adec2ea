"""Keeps the history of a node's load, and makes forecasts from it."""
