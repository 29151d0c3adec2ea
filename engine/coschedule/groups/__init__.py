"""The exact choice of the best group for one gang."""
