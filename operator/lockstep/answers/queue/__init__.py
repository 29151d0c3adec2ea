"""Answers for ``queue``: the gangs that hold nodes, and the waiting gangs in their order."""
