"""From the API server's watches to facts."""
