"""Shared parts of all actions: concurrent requests, refusals, deletions, and the window of attempts in progress."""
