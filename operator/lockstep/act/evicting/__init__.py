"""Evicts pods of other controllers, if the administrator allows it and their owner can't be suspended."""
