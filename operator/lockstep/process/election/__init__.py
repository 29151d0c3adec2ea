"""Which of several processes leads: one at a time, by a lease that it renews."""
