"""What commands do with answers for tenants: they request them, check them, and show them."""
