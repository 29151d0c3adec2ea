"""Rows that need a simulation. The papers do not print all settings, so numbers agree only within a tolerance."""
