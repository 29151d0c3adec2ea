"""How many members of a gang each node has room for, at each time from now on."""
