"""Suspends and resumes the owners of pods that others create."""
