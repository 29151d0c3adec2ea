"""Suspended Jobs for which Lockstep chooses how many pods they have."""

from typing import NamedTuple

from coschedule import GangKey


class SizedJob(NamedTuple):
    """A Job. If it ``awaits_size``, it is suspended until the operator gives it a number of pods.

    ``gang`` is the Gang that the operator makes for it. ``sizes`` are the numbers of pods that it allows. If its
    ``completions_follow``, each pod is one completion, so the Job gets as many completions as pods.
    """

    gang: GangKey
    name: str
    uid: str
    resource_version: str
    awaits_size: bool
    sizes: range
    completions_follow: bool
