"""Leader election: one of several processes leads. It holds a lease, and renews it."""
