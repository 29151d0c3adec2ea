"""Policies of the spec that end or restart a gang. Each file has one policy, as a pure function of facts."""
