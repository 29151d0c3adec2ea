"""[D]: how fast members that wait for one another can run beside local work."""
