"""Facts of a gang: spec, status, roles, policies, network, forecasts."""
