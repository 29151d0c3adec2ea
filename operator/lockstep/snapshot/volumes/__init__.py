"""The nodes that volumes allow for the members of a role, rank by rank."""
