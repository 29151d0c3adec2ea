"""The order of gangs: which gangs wait until other gangs start or end."""
