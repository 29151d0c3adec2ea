"""Parses the spec of a NodeBid and formats its status."""
