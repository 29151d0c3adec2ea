"""Compares the numbers of four papers with ours, computed anew, and lists what Lockstep has of their mechanisms."""
