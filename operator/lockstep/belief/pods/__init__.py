"""Which pods run where, by node and by label, and what their affinity excludes."""
