"""Answers for tenants: an extension of the API server that plans as the operator does, and names no gang of others."""
