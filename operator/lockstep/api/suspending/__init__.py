"""Parses owners of pods that can be suspended, and makes the patches for them."""
