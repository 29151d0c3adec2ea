"""Plans gang by gang, and explains those that are not placed."""
