"""The operator's part in dealing: it creates the key of each attempt, and reads and keeps the states of pieces."""
