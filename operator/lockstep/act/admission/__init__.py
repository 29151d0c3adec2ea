"""Checks with dry runs of the API server whether members are admitted."""
