"""From watches of the API server to facts."""
