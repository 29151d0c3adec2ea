"""Derives from the cache what one plan is made of."""
