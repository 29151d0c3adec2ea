"""Undoes an attempt, or evicts a gang."""
