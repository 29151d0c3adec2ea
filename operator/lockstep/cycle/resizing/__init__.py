"""Changes the sizes of gangs that run: which members join or leave, when, and which notice they have of it."""
