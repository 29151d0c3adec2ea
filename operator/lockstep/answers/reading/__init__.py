"""Reads the facts for an answer from the cluster or from manifests."""
