"""Changes the sizes of gangs that run: who joins, who leaves, when, and which notice members have of it."""
