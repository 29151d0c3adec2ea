"""Computes the statuses and events of GangSweeps, with sentences."""
