"""Parses pods: their requests, the pods that they exclude, and how they ended."""
