"""Keeps the places of the previous plan, or moves them a little later, so that promises hold."""
