"""[S]: gangs of whole pieces on processors of different speeds, and the allocation map in which they take turns."""
