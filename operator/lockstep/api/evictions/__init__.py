"""Evictions of pods of others: what is sent, and what owners make of it."""
