"""Explains to users why a gang waits, and when it is likely to start."""
