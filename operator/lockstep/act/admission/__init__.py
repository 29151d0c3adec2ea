"""Asks the API server by a dry run whether a member is admitted."""
