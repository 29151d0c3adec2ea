"""Answers for ``profile``: a law of run times, fitted to observed runs."""
