"""The best that a timeline has for one gang, by what kind of gang it is."""
