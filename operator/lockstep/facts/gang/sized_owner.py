"""Owners of pods for which Lockstep chooses how many pods they have: before they start, or while they run."""

from typing import NamedTuple

from coschedule import GangKey
from lockstep.facts.elastic import ElasticSpec
from lockstep.facts.gang.source import Source


class ElasticPods(NamedTuple):
    """An owner that runs has so many ``pods``, and some may come or go on the terms of ``spec``.

    With ``first`` pods it has begun: to that number it gives room back that it has grown into. If a ``role`` is given,
    only pods of that role come and go, any of them, and ``fixed`` others stay. Else those with the highest indexes go.
    """

    pods: int
    first: int
    spec: ElasticSpec
    role: str = ""
    fixed: int = 0


class SizedOwner(NamedTuple):
    """A Job, or a RayCluster. If it ``awaits_size``, it is suspended until the operator gives it a number of pods.

    If it ``is_queued``, it waits for that number in a queue of Kueue, which resumes it later.

    ``gang`` is the Gang that the operator makes for it as an owner of ``source``. ``sizes`` are the numbers of pods
    that it allows. ``elastic`` is given while it runs with a number of pods that the operator has given it, and may get
    another one.
    """

    gang: GangKey
    source: Source
    name: str
    uid: str
    resource_version: str
    awaits_size: bool
    sizes: range
    elastic: ElasticPods | None = None
    is_queued: bool = False

    @property
    def names_leaving(self) -> bool:
        """Whether its number of pods may change, and it has to know the names of those that leave."""
        return self.elastic is not None and bool(self.elastic.role)
