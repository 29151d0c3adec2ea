"""Work in whole pieces: how long pieces take, and how many each member gets."""
