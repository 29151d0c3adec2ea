"""The gangs of a choice of sizes: they run and may change their size, or they wait."""
