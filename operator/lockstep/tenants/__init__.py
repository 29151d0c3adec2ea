"""Answers for tenants: an extension API server that plans as the operator does, and names no gang of other tenants."""
