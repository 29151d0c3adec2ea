"""What the planner knows of a Gang: its spec, with roles from the pods that wait for nodes.

Pods with equal needs are one role. All roles are placed together, or none. If pods of the Gang are on nodes already,
later pods are placed beside them, as many as find room.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from coschedule import Sizes
from lockstep.api.pool import Pool
from lockstep.belief.podgangs.group_terms import refusal_of_terms
from lockstep.belief.podgangs.own_pods import OwnPods, SizedPods
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.belief.podgangs.pod_shapes import PodShape, capped, role_name, shapes_of, without_roles
from lockstep.belief.podgangs.refusals import MOST_KINDS, refusal_of_pods, refusal_of_shapes
from lockstep.belief.podgangs.specs.later_pods import later_roles, pods_with_room
from lockstep.belief.podgangs.specs.pods_spec import UNKNOWN_SHAPE, role_of_pods, spec_of_pods
from lockstep.belief.podgangs.specs.role_sizes import RolesOfPods
from lockstep.belief.podgangs.specs.why_pods_wait import why_pods_wait
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec, Refusal, RefusedGang
from lockstep.facts.gang.pod_gang import PodGang, PodGangSpec
from lockstep.facts.gang.policies import Policies
from lockstep.facts.gang.role import RoleSpec
from lockstep.facts.ranks import MOST_RANKS

_ASKS_NOTHING = PodGangSpec(minimum=1, maximum=MOST_RANKS)


def composed(
    gang: PodGang,
    group: PodGroup,
    pool: Pool,
    turn: int = 0,
    *,
    is_checked: bool = True,
    sized: SizedPods | None = None,
) -> GangFact:
    """The Gang as the planner sees it: a gang of the pods that wait.

    If its kinds of pods are planned one by one, ``turn`` chooses the kind. A Gang that the operator has made is
    planned once it ``is_checked``, since its owner may have changed. ``sized`` are the pods that the owner makes once
    it has a size. They count if the Gang has no pods.
    """
    asks = _asked(gang)
    pods = _own_pods(gang, group, sized)
    content = asks if isinstance(asks, Refusal) else _spec(gang, asks, pods, pool, turn, is_checked=is_checked)
    common: dict[str, Any] = {
        **gang.identity(),
        "created": _asked_at(gang, group),
        "status": gang.status,
        "user": gang.user,
    }
    if isinstance(asks, PodGangSpec) and asks.after:
        common["policies"] = Policies(after=asks.after)
    if isinstance(content, Refusal):
        return RefusedGang(**common, refusal=content)
    return AcceptedGang(**common, spec=content)


def _asked(gang: PodGang) -> PodGangSpec | Refusal:
    """The Gang's own spec, or its refusal.

    If the Gang has a reservation and its spec is refused by now, the result is a spec without demands. So the
    reservation is still carried out, because some of its pods may be bound.
    """
    is_reserved = gang.status.reserved_at is not None
    return _ASKS_NOTHING if is_reserved and isinstance(gang.asks, Refusal) else gang.asks


def _own_pods(gang: PodGang, group: PodGroup, sized: SizedPods | None) -> OwnPods:
    names = gang.asks.role_names if isinstance(gang.asks, PodGangSpec) else ()
    # One kind more than allowed shows that there are too many. A user can make thousands.
    pods = group.own(gang.made_for, MOST_KINDS + 1, names)
    if sized is None or isinstance(gang.asks, Refusal):
        return pods
    return pods.with_sized(sized.within(gang.asks.minimum, gang.asks.maximum))


def _asked_at(gang: PodGang, group: PodGroup) -> float:
    """The time from which the Gang's age in the queue counts: when enough pods existed, or else its creation."""
    if group.going or isinstance(gang.asks, Refusal):
        since = group.complete_since(1)
    else:
        # Pods of a made Gang may lack the label of their role.
        since = group.complete_since(gang.asks.minimum, gang.asks.roles if gang.made_for is None else ())
    return gang.created if since is None else max(gang.created, since)


def _spec(
    gang: PodGang, asks: PodGangSpec, pods: OwnPods, pool: Pool, turn: int, *, is_checked: bool
) -> GangSpec | Refusal:
    kinds = [one.kind for one in pods.alike]
    content = partial(spec_of_pods, asks, kinds, is_beside=pods.going > 0, takes_room=pods_with_room(asks, pods) > 0)
    if gang.status.reserved_at is not None:
        return content(_reserved_roles(gang, pods, pool))
    terms = () if gang.made_for is None else pods.terms
    refusal = refusal_of_terms(terms) or refusal_of_pods(pods.alike, asks.priority_class)
    if refusal is not None:
        return refusal
    roles = RolesOfPods(asks.roles, pods, is_made=gang.made_for is not None)
    is_checked = pods.sized is not None or (is_checked and all(one.terms.fewest == asks.minimum for one in terms))
    least = _least(gang, asks.minimum, pods)
    awaited = why_pods_wait(gang, asks, pods, least, roles, is_checked=is_checked)
    if awaited:
        since = pods.first_created if _are_missing(pods, least, roles) else None
        return replace(content((_role_of_missing(asks, pods),)), awaits_pods=awaited, awaits_since=since)
    shapes = shapes_of(pods.alike, pool)
    if pods.sized is not None:
        return content(tuple(_sized_roles(shapes, pods.sized, pool)))
    later = () if pods.going else later_roles(asks, pods, pool, shapes)
    planned = _roles(shapes, gang, asks, roles, turn, has_later=bool(later))
    return refusal_of_shapes(shapes) or content((*planned, *later))


def _are_missing(pods: OwnPods, least: int, roles: RolesOfPods) -> bool:
    """Whether pods of the Gang wait for other pods that do not exist yet."""
    return not pods.going and pods.waiting > 0 and bool(roles.keeping(least))


def _role_of_missing(asks: PodGangSpec, pods: OwnPods) -> RoleSpec:
    return role_of_pods(UNKNOWN_SHAPE, Sizes(minimum=asks.minimum, maximum=max(asks.minimum, pods.waiting)))


def _sized_roles(shapes: Sequence[PodShape], sized: SizedPods, pool: Pool) -> Iterator[RoleSpec]:
    """The roles of the pods whose number is chosen, and of the other pods, whose needs differ."""
    varying = role_name(sized.varying.kind, pool)
    others = sum(shape.members for shape in shapes if shape.name != varying)
    least, most = sized.sizes[0] - others, sized.sizes[-1] - others
    allowed = tuple(size - others for size in sized.sizes) if sized.sizes.step > 1 else ()
    for shape in shapes:
        sizes = Sizes(minimum=least, maximum=most, allowed=allowed)
        fixed = Sizes(minimum=shape.members, maximum=shape.members)
        yield role_of_pods(shape, sizes if shape.name == varying else fixed)


def least_to_begin(gang: PodGang, group: PodGroup) -> int:
    """The fewest pods that may be bound together while none is on a node; 0 once one is, or if the spec is refused.

    The owner may have begun a new run since the reservation was made. The new pods may have the same names as the
    earlier ones, and more of them may have to be bound together.
    """
    if group.going or isinstance(gang.asks, Refusal):
        return 0
    pods = group.own(gang.made_for, 0)
    fewest = [] if gang.made_for is None else [one.terms.fewest for one in pods.terms]
    return _least(gang, max([gang.asks.minimum, *fewest]), pods)


def _least(gang: PodGang, minimum: int, pods: OwnPods) -> int:
    """How many waiting pods are needed before any is planned, if ``minimum`` pods are placed together.

    An owner does not replace pods that have succeeded. The minimum for a Job already counts only what is left.
    """
    if pods.going:
        return 1
    return minimum if gang.made_for is None else max(1, minimum - (pods.succeeded - pods.deducted))


def _roles(
    shapes: Sequence[PodShape],
    gang: PodGang,
    asks: PodGangSpec,
    roles: RolesOfPods,
    turn: int,
    *,
    has_later: bool,
) -> Iterator[RoleSpec]:
    """The roles of the pods that wait.

    Pods that join others, or that need no others, are planned one kind at a time, in turn. Otherwise, all kinds are
    planned together. The roles of the Gang limit how many pods of each kind are placed. This number may vary for at
    most one kind.
    """
    pods = roles.pods
    if pods.going or gang.needs_no_others:
        shapes = capped(roles.within(shapes), asks.maximum - pods.going)
        chosen = shapes[turn % len(shapes)]
        # If room is kept, only as many pods are planned as may use it. Other pods of the same kind are planned next, at
        # their own place in the queue.
        most = min(chosen.members, pods_with_room(asks, pods) or chosen.members)
        yield role_of_pods(chosen, Sizes(minimum=1, maximum=most))
        return
    for shape, sizes in roles.sizes(shapes, _least(gang, asks.minimum, pods), asks.maximum, is_fixed=has_later):
        yield role_of_pods(shape, sizes)


def _reserved_roles(gang: PodGang, pods: OwnPods, pool: Pool) -> tuple[RoleSpec, ...]:
    """The roles of the seats that the status holds, with the needs of the pods that are still to be bound."""
    counts: dict[str, int] = {}
    for entry in gang.status.members:
        counts[entry.role] = counts.get(entry.role, 0) + entry.count
    # If two shapes have the same name, the second counts: it has only pods that name no role of the Gang.
    shapes = (*shapes_of(without_roles(pods.alike), pool), *shapes_of(pods.alike, pool))
    found = {shape.name: shape for shape in shapes}
    roles = {
        name: role_of_pods(found.get(name, UNKNOWN_SHAPE), Sizes(minimum=n, maximum=n)) for name, n in counts.items()
    }
    return tuple(replace(role, name=name) for name, role in roles.items())
