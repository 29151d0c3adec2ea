"""Evicts pods of others, where the administrator allows it and their owner can't be suspended."""
