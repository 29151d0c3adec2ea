"""Computes conditions and events of gangs, and writes them."""
