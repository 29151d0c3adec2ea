"""The settings of the process, and the stores that keep settings, run times and records in ConfigMaps."""
