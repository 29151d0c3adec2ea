"""Paces members: keeps their shares of CPU at the pace of the slowest member."""
