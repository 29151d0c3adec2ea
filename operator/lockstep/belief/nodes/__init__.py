"""Facts about nodes: bids, capacity, node owners, domains, and failures of members on them."""
