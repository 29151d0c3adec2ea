"""Hypothesis draws the same cases every time and never looks at the clock."""

from hypothesis import settings

settings.register_profile("engine", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("engine")
