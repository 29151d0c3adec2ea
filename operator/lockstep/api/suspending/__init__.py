"""Owners of pods that can be suspended, on the wire."""
