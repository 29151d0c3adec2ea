"""What each gang holds: reservations, charges by node, and reserved claims."""
