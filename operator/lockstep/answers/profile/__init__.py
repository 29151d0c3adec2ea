"""Answers profile: run times and speed-ups that were observed."""
