"""Objects of Kueue, on the wire."""
