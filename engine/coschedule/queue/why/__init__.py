"""Explains a finished plan: questions about one of its gangs, and about changes that would let it start sooner."""
