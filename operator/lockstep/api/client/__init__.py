"""Sends requests to the API server: connection, credentials, answers, and the fence, which lets only a leader write."""
