"""The choice of a run for a gang of several roles, or with terms among its members; all members start together."""
