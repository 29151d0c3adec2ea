"""Members that are alike: how many there may be, what each asks of its node, and what each does of the work."""

from dataclasses import dataclass
from typing import NamedTuple

from coschedule import Constraints, Load, Sizes
from lockstep.facts.cluster.volume import ClaimUse
from lockstep.facts.document import Document, PodTemplate
from lockstep.facts.pods.pod import NO_POD_AFFINITY, PodAffinity, Request


class Needs(NamedTuple):
    """What one member asks of its node: all of its pod that a plan looks at."""

    request: Request
    constraints: Constraints
    claims: tuple[ClaimUse, ...]
    pod_affinity: PodAffinity = NO_POD_AFFINITY


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSpec:
    """One role of a gang; a GangJob without roles has one whose name is empty.

    ``path`` is the field of the GangJob's spec that has its template; ``pieces`` goes with the load of that name, and
    only with that; ``template`` is the pod template as written, with what the node pool asks of members, and with their
    gate where they wait for others. ``request``, ``constraints``, ``claims`` and ``pod_affinity`` are those of the
    template, or what admission was seen to make of them: then ``written`` has those of the template. Its containers
    start when all members of ``start_after`` run. ``not_weighed`` are the fields that say what the template only
    prefers. ``claim_templates`` are those of which every member has a claim of its own, as written;
    ``limits`` are what a member may take at most, by the template.
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
    start_after: tuple[str, ...] = ()
    pod_affinity: PodAffinity = NO_POD_AFFINITY
    not_weighed: tuple[str, ...] = ()
    written: Needs | None = None

    @property
    def needs(self) -> Needs:
        """What a member is planned with."""
        return Needs(self.request, self.constraints, self.claims, self.pod_affinity)
