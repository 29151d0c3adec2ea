"""The needs of a planned gang, by role or part of a role."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from coschedule import GangKey
from lockstep.belief.state import State
from lockstep.facts.columns import VOLUMES_PREFIX
from lockstep.facts.gang.gang import AcceptedGang, GangSpec
from lockstep.facts.gang.role import RoleSpec
from lockstep.facts.pods.pod import Request
from lockstep.snapshot.volumes.role_parts import Part, parts_of

SOON_SECONDS = 1.0
"""In seconds from now: the earliest start of gangs that are planned only so that no other gang takes their nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanTerms:
    """Terms on which a gang is planned besides its spec.

    Fields are as in ``PendingGang``, but ``held`` has names of nodes.

    With ``wants_fewest``, the gang gets the fewest members that can run, as if time did not matter. With
    ``is_remembered``, the operator remembers the last plan of the gang, and does not read it from the status.
    """

    not_before: float = -math.inf
    may_hold: bool = True
    held: tuple[str, ...] = ()
    may_preempt: bool = False
    member_price: float = 0.0
    wants_fewest: bool = False
    is_remembered: bool = False


class WantedPart(NamedTuple):
    """Some members of a role, and the request of each for its node, including volumes."""

    role: RoleSpec
    part: Part
    request: Request


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedGang:
    """A gang, its priority, its terms, and the needs of its members."""

    gang: AcceptedGang
    spec: GangSpec
    priority: int
    terms: PlanTerms
    parts: tuple[WantedPart, ...]

    @property
    def own_rooms(self) -> Iterator[tuple[str, Part]]:
        """The columns for this gang only: the number of members of each part for which nodes have volumes."""
        for _, part, _ in self.parts:
            if part.demand.most:
                yield volumes_of(self.gang.key, part), part


def wanted(state: State, gang: AcceptedGang, terms: PlanTerms) -> WantedGang:
    """The present needs of the gang."""
    spec, priority = gang.spec, state.priorities.of(gang)
    assert priority is not None, "a gang of unknown priority is not planned"
    parts = ((role, part) for role in spec.roles for part in parts_of(state, gang, role))
    return WantedGang(
        gang=gang,
        spec=spec,
        priority=priority,
        terms=terms,
        parts=tuple(WantedPart(role, part, _request(gang.key, role, part)) for role, part in parts),
    )


def volumes_of(gang: GangKey, part: Part) -> str:
    """The column of a role or a part of one: the number of members for which nodes have volumes."""
    return " ".join(filter(None, (f"{VOLUMES_PREFIX}{gang.namespace}/{gang.name}", part.name)))


def attached_by(driver: str) -> str:
    """The column of volumes that nodes can attach by a CSI driver, shared by all gangs."""
    return f"{VOLUMES_PREFIX}{driver}"


def _request(gang: GangKey, role: RoleSpec, part: Part) -> Request:
    own = ((volumes_of(gang, part), 1),) if part.demand.most else ()
    attached = tuple((attached_by(driver), count) for driver, count in part.demand.attached.items())
    return (*role.request, *own, *attached) if own or attached else role.request
