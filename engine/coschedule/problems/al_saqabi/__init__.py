"""[S]: gangs of whole pieces on processors of different speeds, and the allocation map of their time slices."""
