"""Requirements of running pods for the members of a gang, and of members for each other."""
