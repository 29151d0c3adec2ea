"""Facts that are kept about a gang after its deletion."""
