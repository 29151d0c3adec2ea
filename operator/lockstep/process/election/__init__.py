"""Leader election: one of several processes leads, by a lease that it renews."""
