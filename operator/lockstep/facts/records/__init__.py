"""What stays known of a gang after its deletion."""
