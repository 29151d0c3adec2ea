"""[D]: how fast members that wait for each other can run beside local work."""
