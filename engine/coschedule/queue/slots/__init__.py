"""The number of members of a gang for which each node has room, at each time from now on."""
