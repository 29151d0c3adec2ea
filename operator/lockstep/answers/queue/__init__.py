"""Answers queue: which gangs wait, in which order."""
