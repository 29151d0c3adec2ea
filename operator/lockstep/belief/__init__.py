"""The cache: the newest observed facts, and what is assumed beyond them."""
