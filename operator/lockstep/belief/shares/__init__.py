"""Fair shares: the groups of namespaces, and their use of nodes."""
