"""Parses and formats objects of Kueue."""
