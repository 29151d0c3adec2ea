"""Candidate runs, the goals by which they are compared, and the effort that bounds the search."""
