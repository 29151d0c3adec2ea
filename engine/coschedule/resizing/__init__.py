"""Chooses new sizes for gangs that run, and which waiting gangs start beside them."""
