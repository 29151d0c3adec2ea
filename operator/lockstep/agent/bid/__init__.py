"""Makes the NodeBid from what was measured, and publishes it."""
