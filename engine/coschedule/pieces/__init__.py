"""Jobs of pieces: how many on which processor, in which time slices [S]."""
