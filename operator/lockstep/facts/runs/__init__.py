"""Which run of which sweep a GangJob is."""
