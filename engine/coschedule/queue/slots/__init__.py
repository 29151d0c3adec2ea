"""How many members of a gang each node has room for, at every time from now on."""
