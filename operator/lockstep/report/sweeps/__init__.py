"""What a GangSweep says of itself: its status, with sentences."""
