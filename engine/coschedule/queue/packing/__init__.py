"""Decides exactly whether members of several roles fit together on given nodes."""
