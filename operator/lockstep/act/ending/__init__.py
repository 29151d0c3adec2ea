"""Tears an attempt down, or evicts a gang."""
