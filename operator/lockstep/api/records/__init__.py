"""Records of gangs as JSON, and the ConfigMaps in which the operator hands them over to the recorder."""
