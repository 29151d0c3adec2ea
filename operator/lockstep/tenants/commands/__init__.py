"""Functions of commands that request answers for tenants, check them, and show them."""
