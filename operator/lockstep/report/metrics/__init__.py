"""The metrics, and the numbers from which they are computed."""
