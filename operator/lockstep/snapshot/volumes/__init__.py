"""Where volumes let the members of a role go, rank by rank."""
