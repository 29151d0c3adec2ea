"""Parses and formats GangSweeps: their spec and status, the parameters of their runs, and the GangJob of each run."""
