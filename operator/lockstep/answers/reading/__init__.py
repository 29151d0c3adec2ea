"""Reads what an answer needs: from the cluster, or from manifests."""
