"""Reads pods: what they ask for, what they exclude, and how they ended."""
