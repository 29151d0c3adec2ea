"""Suspends and resumes the owners of pods that other controllers create."""
