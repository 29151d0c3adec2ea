"""Makes the NodeBid from the measurements, and publishes it."""
