"""What gangs that wait are promised, and in which order they are planned so that it is kept."""
