"""Commands that need no cluster, and no file of one."""
