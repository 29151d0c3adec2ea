"""Owners who may come back: what is forecast, what work that would cost, and which risk a gang takes."""
