"""The cache: the newest observed facts, and assumptions beyond them."""
