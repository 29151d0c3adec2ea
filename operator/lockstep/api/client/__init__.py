"""Sends requests to the API server: connection, credentials, answers, and the fence that only a leader passes."""
