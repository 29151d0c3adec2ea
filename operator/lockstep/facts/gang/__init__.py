"""Facts about a gang: spec, status, roles, policies, network, start estimates."""
