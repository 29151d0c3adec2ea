"""What the planner knows of a Gang: its spec, with roles from the pods that wait for nodes.

Pods with equal needs are one role. Together they are placed whole, or not at all. Pods that come while others of the
Gang are on nodes are placed beside these, as many as find room.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from coschedule import Constraints, Sizes
from lockstep.api.pool import Pool
from lockstep.api.times import rfc3339
from lockstep.belief.gangs.age import ROOM_KEPT_SECONDS
from lockstep.belief.podgangs.elastic_owners import RunningPods
from lockstep.belief.podgangs.group_terms import refusal_of_terms
from lockstep.belief.podgangs.joined_steps import PodsOfStep, joined
from lockstep.belief.podgangs.pod_group import OwnPods, PodGroup, PodKind, PodsAlike, SizedPods
from lockstep.belief.podgangs.pod_shapes import PodShape, capped, in_pool, role_name, shapes_of, without_roles
from lockstep.belief.podgangs.pods_by_role import NO_ROLE
from lockstep.belief.podgangs.refusals import MOST_KINDS, refusal_of_pods, refusal_of_shapes
from lockstep.belief.podgangs.role_sizes import RolesOfPods
from lockstep.facts.document import Document, PodTemplate
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec, Refusal, RefusedGang
from lockstep.facts.gang.pod_gang import PodGang, PodGangSpec
from lockstep.facts.gang.policies import Policies
from lockstep.facts.gang.role import Needs, RoleSpec
from lockstep.facts.gang.sized_owner import ElasticPods
from lockstep.facts.pods.pod import NO_POD_AFFINITY
from lockstep.facts.ranks import MOST_RANKS

_ASKS_NOTHING = PodGangSpec(minimum=1, maximum=MOST_RANKS)
_NO_TEMPLATE = Document.of({})
_FIXED = "fixed"
_NOTHING = PodShape("", Needs(request=(), constraints=Constraints(), claims=()), 0, ())


def composed(
    gang: PodGang,
    group: PodGroup,
    pool: Pool,
    turn: int = 0,
    *,
    is_checked: bool = True,
    sized: SizedPods | None = None,
) -> GangFact:
    """The Gang as a gang of the pods that wait. ``turn`` says whose turn it is of pods that come later, by kind.

    A Gang that the operator has made is planned once it ``is_checked``: its owner may be another one by now. ``sized``
    are pods of its owner that it has once it gets its size; they count if no other pod is there.
    """
    names = gang.asks.role_names if isinstance(gang.asks, PodGangSpec) else ()
    # One kind more than there may be shows that they are too many; a user can make thousands.
    pods = group.own(gang.made_for, MOST_KINDS + 1, names)
    if sized is not None and isinstance(gang.asks, PodGangSpec):
        pods = pods.with_sized(sized.within(gang.asks.minimum, gang.asks.maximum))
    is_reserved = gang.status.reserved_at is not None
    # What was reserved is carried out, whatever has become of the spec: a part of the pods may be bound.
    asks = _ASKS_NOTHING if is_reserved and isinstance(gang.asks, Refusal) else gang.asks
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


def _asked_at(gang: PodGang, group: PodGroup) -> float:
    """When enough pods were there. So a Gang does not grow older than its pods, and gains no place in the queue."""
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
    content = partial(_content, asks, kinds, is_beside=pods.going > 0, takes_room=_with_room(asks, pods) > 0)
    if gang.status.reserved_at is not None:
        return content(_reserved_roles(gang, pods, pool))
    terms = () if gang.made_for is None else pods.terms
    refusal = refusal_of_terms(terms) or refusal_of_pods(pods.alike, asks.priority_class)
    if refusal is not None:
        return refusal
    roles = RolesOfPods(asks.roles, pods, is_made=gang.made_for is not None)
    is_checked = pods.sized is not None or (is_checked and all(one.terms.fewest == asks.minimum for one in terms))
    least = _least(gang, asks.minimum, pods)
    awaited = _change_of_size(gang) or _awaited(gang, asks, pods, least, roles, is_checked=is_checked)
    if awaited:
        since = pods.first_created if _are_missing(pods, least, roles) else None
        return replace(content((_role_of_missing(asks, pods),)), awaits_pods=awaited, awaits_since=since)
    shapes = shapes_of(pods.alike, pool)
    if pods.sized is not None:
        return content(tuple(_sized_roles(shapes, pods.sized, pool)))
    later = () if pods.going else _later_roles(asks, pods, pool, shapes)
    planned = _roles(shapes, gang, asks, roles, turn, has_later=bool(later))
    return refusal_of_shapes(shapes) or content((*planned, *later))


def _are_missing(pods: OwnPods, least: int, roles: RolesOfPods) -> bool:
    """Whether some pods wait for others that are not there yet."""
    return not pods.going and pods.waiting > 0 and bool(roles.keeping(least))


def _role_of_missing(asks: PodGangSpec, pods: OwnPods) -> RoleSpec:
    return _role(_NOTHING, Sizes(minimum=asks.minimum, maximum=max(asks.minimum, pods.waiting)))


def _sized_roles(shapes: Sequence[PodShape], sized: SizedPods, pool: Pool) -> Iterator[RoleSpec]:
    """The roles of pods whose number is to be chosen, and of those beside them that need something else."""
    varying = role_name(sized.varying.kind, pool)
    others = sum(shape.members for shape in shapes if shape.name != varying)
    least, most = sized.sizes[0] - others, sized.sizes[-1] - others
    allowed = tuple(size - others for size in sized.sizes) if sized.sizes.step > 1 else ()
    for shape in shapes:
        sizes = Sizes(minimum=least, maximum=most, allowed=allowed)
        fixed = Sizes(minimum=shape.members, maximum=shape.members)
        yield _role(shape, sizes if shape.name == varying else fixed)


def least_to_begin(gang: PodGang, group: PodGroup) -> int:
    """The fewest pods that may be bound while none is on a node; 0 once one is, since what is begun goes on.

    Pods with the names of a reservation may be another run by now, which needs more of them together.
    """
    if group.going or isinstance(gang.asks, Refusal):
        return 0
    pods = group.own(gang.made_for, 0)
    said = [] if gang.made_for is None else [one.terms.fewest for one in pods.terms]
    return _least(gang, max([gang.asks.minimum, *said]), pods)


def _least(gang: PodGang, minimum: int, pods: OwnPods) -> int:
    """How many pods have to wait before one is planned, of a Gang that places ``minimum`` pods together.

    An owner does not make those anew that have succeeded.
    """
    if pods.going:
        return 1
    return minimum if gang.made_for is None else max(1, minimum - pods.succeeded)


def _roles(
    shapes: Sequence[PodShape],
    gang: PodGang,
    asks: PodGangSpec,
    roles: RolesOfPods,
    turn: int,
    *,
    has_later: bool,
) -> Iterator[RoleSpec]:
    """Of a kind that is alone, a number of pods; of several, all that are there, or as their roles say.

    Beside others, or if the pods need no others, one kind in turn.
    """
    pods = roles.pods
    if pods.going or gang.needs_no_others:
        shapes = capped(roles.within(shapes), asks.maximum - pods.going)
        chosen = shapes[turn % len(shapes)]
        # Others of the same kind are planned next, at their own place in the queue.
        most = min(chosen.members, _with_room(asks, pods) or chosen.members)
        yield _role(chosen, Sizes(minimum=1, maximum=most))
        return
    for shape, sizes in roles.sizes(shapes, _least(gang, asks.minimum, pods), asks.maximum, is_fixed=has_later):
        yield _role(shape, sizes)


def _reserved_roles(gang: PodGang, pods: OwnPods, pool: Pool) -> tuple[RoleSpec, ...]:
    """The roles of the seats that the status holds, and what the pods need that are still to be bound."""
    counts: dict[str, int] = {}
    for entry in gang.status.members:
        counts[entry.role] = counts.get(entry.role, 0) + entry.count
    # A shape of pods by their role counts before one of all pods of a kind.
    shapes = (*shapes_of(without_roles(pods.alike), pool), *shapes_of(pods.alike, pool))
    found = {shape.name: shape for shape in shapes}
    roles = {name: _role(found.get(name, _NOTHING), Sizes(minimum=n, maximum=n)) for name, n in counts.items()}
    return tuple(replace(role, name=name) for name, role in roles.items())


def _content(
    asks: PodGangSpec, kinds: Sequence[PodKind], roles: tuple[RoleSpec, ...], *, is_beside: bool, takes_room: bool
) -> GangSpec:
    """The spec with these roles, for pods of these kinds.

    Of pods that come later it is unknown how much of the work they have.
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


def _role(shape: PodShape, sizes: Sizes) -> RoleSpec:
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


def running_spec(
    asks: PodGangSpec, pods: RunningPods, sizes: Sizes, elastic: ElasticPods, pool: Pool
) -> GangSpec | None:
    """The spec of pods that run, and whose number may change; None if they can't be planned.

    The first role is that of the pods that may come and go. Others are a role of their own, also if they need the same.
    """
    parts, fixed = [(pods.varying, NO_ROLE)], elastic.fixed
    if pods.fixed is not None:
        parts.append((pods.fixed, _FIXED))
    varying = Sizes(minimum=max(1, sizes.minimum - fixed), maximum=sizes.maximum - fixed)
    of_parts = (varying, Sizes(minimum=fixed, maximum=fixed)) if fixed else (varying,)
    roles = [_running_role(one, role, each, pool) for (one, role), each in zip(parts, of_parts, strict=True)]
    able = tuple(role for role in roles if role is not None)
    if len(able) < len(roles):
        return None
    content = _content(asks, [one.kind for one, _ in parts], able, is_beside=False, takes_room=False)
    return replace(content, has_bound_pods=True, elastic=elastic.spec)


def _running_role(pods: PodsAlike, role: str, sizes: Sizes, pool: Pool) -> RoleSpec | None:
    name, needs = role_name(pods.kind, pool, role), pods.kind.needs
    if name is None or isinstance(needs, Refusal):
        return None
    return _role(PodShape(name, in_pool(needs, pool), 0, pods.kind.selected), sizes)


def room_spec(asks: PodGangSpec, pods: OwnPods, pool: Pool) -> GangSpec | None:
    """The pods that come later as a gang of their own, while others run; None if all are there."""
    roles = _later_roles(asks, pods, pool, ())
    return replace(_content(asks, (), roles, is_beside=True, takes_room=True), is_room=True) if roles else None


def _later_roles(asks: PodGangSpec, pods: OwnPods, pool: Pool, beside: Sequence[PodShape]) -> tuple[RoleSpec, ...]:
    """Pods that come later, by kind, without those that are there. The first step is planned with room for them.

    Pods of several steps with equal needs are one role. So may others be ``beside`` which all are too many for a plan.
    """
    is_tied = bool(asks.all_in)
    others = tuple(
        PodsOfStep(0, one.needs, one.members, is_tied or one.needs.pod_affinity != NO_POD_AFFINITY) for one in beside
    )
    return tuple(_later_role(step, pool) for step in joined(_later_steps(asks, pods), others))


def _later_steps(asks: PodGangSpec, pods: OwnPods) -> tuple[PodsOfStep, ...]:
    """The same pods, those with equal needs in the place of the first of them."""
    steps, left = dict[Needs, PodsOfStep](), _later_pods(asks, pods)
    for number, later in reversed([*enumerate(asks.later)]):
        members = min(later.pods, left)
        left -= members
        if members:
            alike = steps.pop(later.needs, PodsOfStep(number, later.needs, 0))
            steps[later.needs] = PodsOfStep(number, later.needs, alike.pods + members, bool(asks.all_in))
    return tuple(reversed(steps.values()))


def _later_role(step: PodsOfStep, pool: Pool) -> RoleSpec:
    shape = PodShape(f"pods-that-come-later-{step.number}", in_pool(step.needs, pool), step.pods, ())
    return replace(_role(shape, Sizes(minimum=step.pods, maximum=step.pods)), is_later=True)


def _with_room(asks: PodGangSpec, pods: OwnPods) -> int:
    """How many more pods may have the room that is kept: more than were announced stand in the queue like others."""
    if not (asks.later and pods.going):
        return 0
    return max(0, asks.minimum + sum(one.pods for one in asks.later) - pods.going - pods.succeeded)


def _later_pods(asks: PodGangSpec, pods: OwnPods) -> int:
    """How many pods of later steps are not there yet. The last ones come last."""
    later = sum(one.pods for one in asks.later)
    there = pods.going + pods.waiting + pods.succeeded
    return max(0, min(later, asks.minimum + later - there))


def _room_until(gang: PodGang) -> str:
    """Until when room is kept; nothing if it is unknown when the Gang has begun, since it is younger than its pods."""
    begun = gang.status.active_since
    if begun is None:
        return ""
    return f", and Lockstep keeps nodes free for them until {rfc3339(begun + ROOM_KEPT_SECONDS)} at the latest"


def _change_of_size(gang: PodGang) -> str:
    """What keeps the pods from being planned if the owner of the pods is to have fewer; '' for nothing."""
    is_changing = gang.status.next_size is not None
    return "Its size changes. No other pod of the Gang is placed before the change is done." if is_changing else ""


def _awaited(
    gang: PodGang, asks: PodGangSpec, pods: OwnPods, least: int, roles: RolesOfPods, *, is_checked: bool
) -> str:
    """What keeps the pods from being planned; '' for nothing."""
    if pods.going >= asks.maximum and pods.waiting:
        return (
            f"{pods.going} of at most {asks.maximum} pods of the Gang are on nodes; {pods.waiting} wait until others "
            "have ended."
        )
    if pods.going and not pods.waiting:
        later = _later_pods(asks, pods)
        if later:
            return f"Its pods are bound. It expects {later} more{_room_until(gang)}."
        return "Its pods are bound, and no other pod of the Gang waits for a node."
    if not pods.waiting:
        return f"No pod of the Gang waits for a node. It needs {least} together."
    compared = pods.going or is_checked
    return roles.keeping(least) or (
        "" if compared else "Its pods wait until Lockstep has compared the Gang with their owner."
    )
