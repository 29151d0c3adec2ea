"""Finds the least value of a large matrix by bounding blocks of it; docs/algorithms.md has the idea and a picture."""
