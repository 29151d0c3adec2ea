"""Owners of pods whose number of pods Lockstep chooses: before they start, or while they run."""

from typing import NamedTuple

from coschedule import GangKey
from lockstep.facts.elastic import ElasticSpec
from lockstep.facts.gang.source import Source


class ElasticPods(NamedTuple):
    """A running owner with this number of ``pods``, some of which may come or go on the terms of ``spec``.

    The owner began with ``first`` pods: it may have to give back room that it has grown into, down to this number. If a
    ``role`` is given, only pods of that role come and go, in any order, and the ``fixed`` other pods stay. Otherwise
    the pods with the highest indexes go first.
    """

    pods: int
    first: int
    spec: ElasticSpec
    role: str = ""
    fixed: int = 0


class SizedOwner(NamedTuple):
    """A Job or RayCluster. If it ``awaits_size``, it is suspended until the operator gives it a number of pods.

    If it ``is_queued``, it waits for that number in a queue of Kueue, which resumes it later.

    ``gang`` is the Gang that the operator makes for it as an owner of ``source``. ``sizes`` are the numbers of pods
    that it allows. ``elastic`` is given if it runs with a number of pods from the operator, and may get another number.
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
        """Whether its number of pods may change, and it needs the names of the pods that leave."""
        return self.elastic is not None and bool(self.elastic.role)
