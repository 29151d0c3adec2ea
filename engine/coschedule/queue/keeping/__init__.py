"""Keeps places of an earlier plan, or slides them, so that promises hold."""
