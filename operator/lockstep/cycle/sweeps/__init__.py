"""What becomes of sweeps: which runs are made, deleted and counted, and how many members they get."""
