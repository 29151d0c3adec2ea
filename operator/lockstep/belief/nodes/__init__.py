"""What is observed of nodes: bids, capacity, owners, domains, and failures of members on them."""
