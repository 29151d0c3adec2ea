"""Work that comes in whole pieces: how long pieces take, and who gets how many."""
