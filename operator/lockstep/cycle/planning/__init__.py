"""Makes a plan and decides what follows from it: sizes, node holds, quotas, evictions."""
