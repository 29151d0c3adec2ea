"""Tears down attempts, and checks that none of their pods is left."""
