"""Evictions of pods that other controllers made: the request, and how their owners react."""
