"""[C]: how applications share a cluster: load forecasts, auctions and replicas."""
