"""What commands do with answers: they ask, check what comes, and show it."""
