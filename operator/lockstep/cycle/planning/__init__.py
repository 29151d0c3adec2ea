"""Makes a plan and decides what is done about it: sizes, node holds, quotas, evictions."""
