"""Parses owners that get a size from Lockstep, and makes the patches for them."""
