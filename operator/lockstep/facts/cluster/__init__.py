"""Facts about nodes, bids, volumes, quotas and requests for nodes."""
