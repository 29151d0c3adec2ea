"""Which gang holds what: reservations, charges by node, and claims that are reserved."""
