"""Facts of nodes, bids, volumes, quotas and requests for nodes."""
