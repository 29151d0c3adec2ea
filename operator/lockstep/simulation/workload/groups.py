"""Groups that share the nodes by weight, and the group of each job."""

import re
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from lockstep.simulation.model.jobs import JobGroup
from lockstep.simulation.workload.rigid import RigidJob

MOST_GROUPS = 64

_GROUP = re.compile(r"([0-9]{1,4})@(0?[.][0-9]{1,6}|[01](?:[.]0*)?)")
# Parts are written with few digits, such as three times 0.333.
_ROUNDING = 0.01


class GroupsError(ValueError):
    """The groups can't be understood; the message says why."""


class DemandingGroup(NamedTuple):
    """A group with a ``weight``, which submits the ``part`` of all jobs, above 0 and at most 1."""

    weight: int
    part: float


def parse_groups(text: str) -> tuple[DemandingGroup, ...]:
    """Read ``WEIGHT@PART,...``, such as ``3@0.2,1@0.8``; return () for ''. Raises ``GroupsError``."""
    groups = tuple(_parse(one) for one in text.split(",")) if text else ()
    if len(groups) > MOST_GROUPS:
        raise GroupsError(f"{len(groups)} groups are more than {MOST_GROUPS}")
    if groups and abs(sum(group.part for group in groups) - 1) > _ROUNDING:
        raise GroupsError(f"the parts of the groups add up to {sum(group.part for group in groups):g}, not to 1")
    return groups


def _parse(text: str) -> DemandingGroup:
    found = _GROUP.fullmatch(text)
    if found is None or not int(found[1]) or not float(found[2]):
        raise GroupsError(f"{text!r} is not a weight and part of the jobs, such as 3@0.2")
    return DemandingGroup(int(found[1]), float(found[2]))


def drawn_groups(
    jobs: Sequence[RigidJob], groups: Sequence[DemandingGroup], random: np.random.Generator
) -> list[JobGroup | None]:
    """Draw the group of each job.

    All jobs of one group in the log get the same drawn group. If the log names no group for jobs, all jobs of
    one user get the same group.
    """
    if not groups:
        return [None] * len(jobs)
    parts = np.array([group.part for group in groups])
    drawn = random.choice(len(groups), size=len(jobs), p=parts / parts.sum()).tolist()
    first: dict[Hashable, int] = {}
    numbers = [
        first.setdefault(_grouping_key(job, index), number)
        for index, (job, number) in enumerate(zip(jobs, drawn, strict=True))
    ]
    return [JobGroup(number, groups[number].weight) for number in numbers]


def _grouping_key(job: RigidJob, index: int) -> Hashable:
    """Return the key of the jobs that get the same group: the log's group, else the user, else the job alone."""
    if job.group is not None:
        return "group", job.group
    return ("user", job.user) if job.user is not None else ("job", index)
