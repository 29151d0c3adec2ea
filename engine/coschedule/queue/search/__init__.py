"""Candidates for a place, the goals that compare them, and the effort that bounds the search."""
