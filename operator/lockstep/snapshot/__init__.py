"""Computes the input of one plan from the cache."""
