"""The choice for a gang of several roles, or with terms among its members: one start, one finish, all at once."""
