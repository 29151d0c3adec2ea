"""The options of simulations."""
