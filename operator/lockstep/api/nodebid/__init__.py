"""Reads a NodeBid's spec and writes its status."""
