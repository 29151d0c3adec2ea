"""Writes the status of NodeBids."""
