"""The mechanisms of Shum, 1996 [C], by groups of chapters. Related work in its chapter 2 is left out."""

from lockstep.papers.mechanisms.shum_adaptation import ADAPTATION
from lockstep.papers.mechanisms.shum_clusters import CLUSTERS
from lockstep.papers.mechanisms.shum_competition import COMPETITION
from lockstep.papers.mechanisms.shum_replication import REPLICATION

MECHANISMS = (*ADAPTATION, *COMPETITION, *CLUSTERS, *REPLICATION)
