"""Parses and formats the FairShare of a cluster."""
