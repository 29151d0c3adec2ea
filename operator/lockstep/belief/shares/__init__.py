"""Fair shares: the groups of namespaces, and what they use."""
