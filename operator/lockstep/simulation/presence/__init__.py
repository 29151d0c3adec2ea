"""Node owners who come and go unannounced: when they are there, and how that is forecast."""
