"""Rows that only simulations give: settings are not all printed, so the numbers agree within a tolerance."""
