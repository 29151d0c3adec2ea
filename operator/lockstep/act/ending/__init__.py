"""Tears down an attempt, or evicts a gang."""
