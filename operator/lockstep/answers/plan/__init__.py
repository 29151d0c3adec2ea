"""Answers for ``explain`` and ``plan``: what a plan would decide now, and why."""
