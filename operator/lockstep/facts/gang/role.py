"""Roles: members that are alike, with their number, what each needs of its node, and its share of the work."""

from dataclasses import dataclass
from typing import NamedTuple

from coschedule import Constraints, Load, Sizes
from lockstep.facts.cluster.volume import ClaimUse
from lockstep.facts.document import Document, PodTemplate
from lockstep.facts.pods.pod import NO_POD_AFFINITY, PodAffinity, Request


class Needs(NamedTuple):
    """What one member needs of its node: everything in its pod that planning uses."""

    request: Request
    constraints: Constraints
    claims: tuple[ClaimUse, ...]
    pod_affinity: PodAffinity = NO_POD_AFFINITY


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSpec:
    """One role of a gang; a GangJob without roles has one with an empty name.

    ``path`` is the field of the GangJob's spec that has the template. ``pieces`` is given for the load of that name
    only; where several roles have pieces, one of this role takes ``piece_weight`` times as long as one of weight 1.
    ``template`` is the pod template as written, plus what the node pool requires and the gate, if members wait.
    ``request``, ``constraints``, ``claims`` and ``pod_affinity`` are from the template. If admission changes them, they
    are as changed, and ``written`` has those of the template.

    Its containers start when all members of ``start_after`` run. ``not_weighed`` are fields with preferences of the
    template, which planning ignores. Each member gets a claim of its own for each of ``claim_templates``, which are as
    written. ``limits`` are the resource limits of a member, and ``is_guaranteed`` says whether it is of the QoS class
    Guaranteed, both by the template. Members of a role that ``is_later`` come
    once the others run: they are planned with these, but not started.
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
        """What planning uses for a member."""
        return Needs(self.request, self.constraints, self.claims, self.pod_affinity)
