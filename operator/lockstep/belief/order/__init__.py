"""Which gangs wait for which others to start or end."""
