"""A whole queue of gangs on a whole cluster."""
