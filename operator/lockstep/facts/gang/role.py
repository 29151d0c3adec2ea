"""Roles: members that are alike, their number, the needs of each for its node, and its share of the work."""

from dataclasses import dataclass
from typing import NamedTuple

from coschedule import Constraints, Load, Sizes
from lockstep.facts.cluster.volume import ClaimUse
from lockstep.facts.document import Document, PodTemplate
from lockstep.facts.pods.pod import NO_POD_AFFINITY, PodAffinity, Request


class Needs(NamedTuple):
    """The needs of one member for its node: everything in its pod that planning uses."""

    request: Request
    constraints: Constraints
    claims: tuple[ClaimUse, ...]
    pod_affinity: PodAffinity = NO_POD_AFFINITY


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSpec:
    """One role of a gang; a GangJob without roles has one role with an empty name.

    ``path`` is the field of the GangJob's spec that has the template. ``pieces`` is given only for the load ``Pieces``.
    If several roles have pieces, a piece of this role takes ``piece_weight`` times as long as a piece of weight 1.
    ``template`` is the pod template as written, with the requirements of the node pool, and with the gate if members
    wait. ``request``, ``constraints``, ``claims`` and ``pod_affinity`` are from the template. If admission changes
    them, they have the changed values, and ``written`` has those of the template.

    Its containers start when all members of ``start_after`` run. ``not_weighed`` are fields with preferences of the
    template, which planning ignores. Each member gets its own claim for each of ``claim_templates``, which are as
    written. ``limits`` are the resource limits of a member. ``is_guaranteed`` says whether a member is of the QoS class
    Guaranteed, by the template. If a role ``is_later``, its members are pods of a Gang that do not exist yet. The plan
    has room for them, and the attempt does not begin with them.
    """

    name: str = ""
    path: str = "template"
    sizes: Sizes
    request: Request
    constraints: Constraints
    claims: tuple[ClaimUse, ...]
    template: PodTemplate
    claim_templates: tuple[Document, ...] = ()
    limits: Request = ()
    load: Load = Load.EQUAL
    pieces: int | None = None
    piece_weight: int = 1
    start_after: tuple[str, ...] = ()
    pod_affinity: PodAffinity = NO_POD_AFFINITY
    not_weighed: tuple[str, ...] = ()
    written: Needs | None = None
    is_later: bool = False
    is_guaranteed: bool = False

    @property
    def needs(self) -> Needs:
        """The needs of a member that planning uses."""
        return Needs(self.request, self.constraints, self.claims, self.pod_affinity)

    def can_have(self, size: int) -> bool:
        """Whether the role can have that number of members, and a piece for each if it has pieces."""
        return self.sizes.has(size) and (self.pieces is None or size <= self.pieces)
