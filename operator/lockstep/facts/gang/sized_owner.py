"""Suspended owners of pods for which Lockstep chooses how many pods they have."""

from typing import NamedTuple

from coschedule import GangKey
from lockstep.facts.gang.source import Source


class SizedOwner(NamedTuple):
    """A Job, or a RayCluster. If it ``awaits_size``, it is suspended until the operator gives it a number of pods.

    ``gang`` is the Gang that the operator makes for it as an owner of ``source``. ``sizes`` are the numbers of pods
    that it allows.
    """

    gang: GangKey
    source: Source
    name: str
    uid: str
    resource_version: str
    awaits_size: bool
    sizes: range
