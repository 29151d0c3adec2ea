"""Chooses new sizes for running gangs, and the waiting gangs that start beside them."""
