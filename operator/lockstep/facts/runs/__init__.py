"""The sweep and the number of the run to which a GangJob belongs."""
