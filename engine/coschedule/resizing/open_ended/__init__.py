"""Chooses sizes for gangs of unknown end: they grow into idle nodes, and give these nodes back."""
