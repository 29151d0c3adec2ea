"""Changes pods that run: their gates and their resources."""
