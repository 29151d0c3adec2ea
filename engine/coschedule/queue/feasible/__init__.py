"""Which nodes pass a gang's constraints, and the domains among them."""
