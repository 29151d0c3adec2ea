"""Follows Gangs, whose pods others create."""
