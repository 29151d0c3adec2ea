"""Plans one gang after the other, and gives the reason for each gang without a placement."""
