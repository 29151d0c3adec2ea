"""Parses and formats Gangs, whose pods others create, and the owners of these pods."""
