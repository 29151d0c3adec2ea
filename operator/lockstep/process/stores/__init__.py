"""Settings and run times that are kept in ConfigMaps."""
