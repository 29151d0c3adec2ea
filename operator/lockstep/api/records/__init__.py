"""Records of gangs as JSON, and the ConfigMaps that hand them over."""
