"""Renders numbers, refusals and reasons as sentences."""
