"""Carries out decisions: creates and binds all pods of a gang, or leaves none of them."""
