"""The operator process: its parts, started and stopped in order."""
