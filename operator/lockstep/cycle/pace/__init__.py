"""Paces members: gives them only the CPU that they need to keep up with the slowest member."""
