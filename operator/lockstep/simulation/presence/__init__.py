"""Node owners who come and go unannounced: their presence at the nodes, and its forecasts."""
