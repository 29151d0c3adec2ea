"""Commands that need no cluster, and no file with facts of a cluster."""
