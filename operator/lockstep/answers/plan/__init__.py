"""Answers ``explain`` and ``plan``: what would be decided now, and why."""
