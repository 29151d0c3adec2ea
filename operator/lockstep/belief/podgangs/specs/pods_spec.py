"""The spec of a Gang and its roles, from pods that are planned together."""

from collections.abc import Sequence

from coschedule import Constraints, Sizes
from lockstep.belief.podgangs.own_pods import PodKind
from lockstep.belief.podgangs.pod_shapes import PodShape
from lockstep.facts.document import Document, PodTemplate
from lockstep.facts.gang.gang import GangSpec
from lockstep.facts.gang.pod_gang import PodGangSpec
from lockstep.facts.gang.role import Needs, RoleSpec

UNKNOWN_SHAPE = PodShape("", Needs(request=(), constraints=Constraints(), claims=()), 0, ())
"""The shape of pods that do not exist, so that their needs are unknown."""
_NO_TEMPLATE = Document.of({})


def spec_of_pods(
    asks: PodGangSpec, kinds: Sequence[PodKind], roles: tuple[RoleSpec, ...], *, is_beside: bool, takes_room: bool
) -> GangSpec:
    """The spec with these roles, for pods of these kinds.

    Pods that join others (``is_beside``) have no work of their own: their part of the work is unknown.
    """
    return GangSpec(
        roles=roles,
        work=None if is_beside else asks.work,
        deadline_seconds=None if is_beside else asks.deadline_seconds,
        priority_class=min((one.priority_class for one in kinds), default=asks.priority_class),
        one_per=asks.one_per,
        all_in=asks.all_in,
        sizing=asks.sizing,
        has_bound_pods=is_beside,
        takes_room=takes_room,
        preempts=asks.preempts and all(one.preempts for one in kinds),
    )


def role_of_pods(shape: PodShape, sizes: Sizes) -> RoleSpec:
    """A role with the needs of these pods."""
    needs = shape.needs
    return RoleSpec(
        name=shape.name,
        path="the pods",
        sizes=sizes,
        request=needs.request,
        constraints=needs.constraints,
        claims=needs.claims,
        pod_affinity=needs.pod_affinity,
        template=PodTemplate(document=_NO_TEMPLATE, labels=shape.labels),
    )
