"""Answers questions about one gang of a finished plan, and about changes that would let this gang start sooner."""
