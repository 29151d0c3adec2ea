"""The log: formats, and the gang that a line is about."""
