"""Plans with a supposed GangJob or GangSweep, which does not exist: the question, its check, and the coarse plan."""
