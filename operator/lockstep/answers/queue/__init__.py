"""Answers ``queue``: the waiting gangs and their order."""
