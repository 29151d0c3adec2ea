"""Nodes shared among applications that compete: forecasts, auctions, exact shares, replication."""
