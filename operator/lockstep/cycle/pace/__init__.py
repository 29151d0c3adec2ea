"""Keeps the processor shares of members at the pace of the slowest."""
