"""What the planner knows of a Gang: its spec, with roles from the pods that wait for nodes.

Pods with equal needs are one role. Together they are placed whole, or not at all. Pods that come while others of the
Gang are on nodes are placed beside these, as many as find room.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from coschedule import Constraints, Sizes
from lockstep.api.pool import Pool
from lockstep.belief.podgangs.pod_group import PodGroup, PodsAlike
from lockstep.belief.podgangs.refusals import MOST_KINDS, refusal_of_pods
from lockstep.facts.document import Document, PodTemplate
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec, Refusal, RefusedGang
from lockstep.facts.gang.pod_gang import PodGang, PodGangSpec
from lockstep.facts.gang.role import Needs, RoleSpec
from lockstep.facts.pods.pod import Labels
from lockstep.facts.ranks import MOST_RANKS

_NEEDS_NOTHING = Needs(request=(), constraints=Constraints(), claims=())
_ASKS_NOTHING = PodGangSpec(minimum=1, maximum=MOST_RANKS)
_NO_TEMPLATE = Document.of({})


class _Shape(NamedTuple):
    """Pods with equal needs: how many wait, and the labels of one of them."""

    needs: Needs
    members: int
    labels: Labels

    @property
    def name(self) -> str:
        """A name for pods with these needs, the same in every process."""
        return f"pods-{hashlib.sha256(repr(self.needs).encode()).hexdigest()[:8]}"


def composed(gang: PodGang, group: PodGroup, pool: Pool, turn: int = 0) -> GangFact:
    """The Gang as a gang of the pods that wait. ``turn`` says whose turn it is of pods that come later, by kind."""
    is_reserved = gang.status.reserved_at is not None
    # What was reserved is carried out, whatever has become of the spec: a part of the pods may be bound.
    asks = _ASKS_NOTHING if is_reserved and isinstance(gang.asks, Refusal) else gang.asks
    content = asks if isinstance(asks, Refusal) else _spec(gang, asks, group, pool, turn)
    common: dict[str, Any] = {
        "key": gang.key,
        "uid": gang.uid,
        "resource_version": gang.resource_version,
        "generation": gang.generation,
        "created": _asked_at(gang, group),
        "is_deleting": gang.is_deleting,
        "status": gang.status,
    }
    if isinstance(content, Refusal):
        return RefusedGang(**common, refusal=content)
    return AcceptedGang(**common, spec=content)


def role_of(needs: Needs | Refusal, roles: Iterable[RoleSpec], pool: Pool) -> str | None:
    """The role that was planned for pods with these needs; None if none of these roles was."""
    if isinstance(needs, Refusal):
        return None
    planned = _in_pool(needs, pool)
    return next((role.name for role in roles if role.needs == planned), None)


def _asked_at(gang: PodGang, group: PodGroup) -> float:
    """When enough pods were there. So a Gang does not grow older than its pods, and gains no place in the queue."""
    least = 1 if group.going or isinstance(gang.asks, Refusal) else gang.asks.minimum
    since = group.complete_since(least)
    return gang.created if since is None else max(gang.created, since)


def _spec(gang: PodGang, asks: PodGangSpec, group: PodGroup, pool: Pool, turn: int) -> GangSpec | Refusal:
    # One more than there may be shows that they are too many; a user can make thousands.
    alike = list(islice(group.alike(), MOST_KINDS + 1))
    classes = {one.kind.priority_class for one in alike}
    content = partial(_content, asks, classes, is_beside=group.going > 0)
    if gang.status.reserved_at is not None:
        return content(_reserved_roles(gang, _shapes(alike, MOST_RANKS, pool)))
    refusal = refusal_of_pods(alike)
    if refusal is not None:
        return refusal
    least, most = 1 if group.going else asks.minimum, max(0, asks.maximum - group.going)
    if min(group.waiting, most) < least:
        sizes = Sizes(minimum=asks.minimum, maximum=max(asks.minimum, group.waiting))
        nothing = _role(_Shape(_NEEDS_NOTHING, 0, ()), sizes)
        return replace(content((nothing,)), awaits_pods=_awaited(asks, group))
    shapes = _shapes(alike, most, pool)
    if group.going:
        chosen = shapes[turn % len(shapes)]
        return content((_role(chosen, Sizes(minimum=1, maximum=chosen.members)),))
    fewest = [asks.minimum if len(shapes) == 1 else shape.members for shape in shapes]
    sizes_of = [Sizes(minimum=low, maximum=shape.members) for low, shape in zip(fewest, shapes, strict=True)]
    return content(tuple(map(_role, shapes, sizes_of)))


def _shapes(alike: Sequence[PodsAlike], most: int, pool: Pool) -> list[_Shape]:
    """The pods by their needs, on nodes of the pool, ``most`` of them at most; the same whatever their order."""
    found: dict[Needs, _Shape] = {}
    for one in alike:
        if not isinstance(one.kind.needs, Refusal):
            needs = _in_pool(one.kind.needs, pool)
            before = found.get(needs, _Shape(needs, 0, one.labels))
            found[needs] = _Shape(needs, before.members + one.pods, tuple(sorted({*before.labels} & {*one.labels})))
    shapes = []
    for shape in sorted(found.values(), key=lambda one: one.name):
        taken = min(shape.members, most)
        most -= taken
        shapes.append(shape._replace(members=taken))
    return [shape for shape in shapes if shape.members]


def _reserved_roles(gang: PodGang, shapes: Sequence[_Shape]) -> tuple[RoleSpec, ...]:
    """The roles of the seats that the status holds, and what the pods need that are still to be bound."""
    counts: dict[str, int] = {}
    for entry in gang.status.members:
        counts[entry.role] = counts.get(entry.role, 0) + entry.count
    found = {shape.name: shape for shape in shapes}
    nothing = _Shape(_NEEDS_NOTHING, 0, ())
    roles = {name: _role(found.get(name, nothing), Sizes(minimum=n, maximum=n)) for name, n in counts.items()}
    return tuple(replace(role, name=name) for name, role in roles.items())


def _content(asks: PodGangSpec, classes: set[str], roles: tuple[RoleSpec, ...], *, is_beside: bool) -> GangSpec:
    """The spec with these roles. Of pods that come later it is unknown how much of the work they have."""
    return GangSpec(
        roles=roles,
        work=None if is_beside else asks.work,
        deadline_seconds=None if is_beside else asks.deadline_seconds,
        priority_class=min(classes, default=""),
        one_per=asks.one_per,
        all_in=asks.all_in,
        sizing=asks.sizing,
        has_bound_pods=is_beside,
    )


def _role(shape: _Shape, sizes: Sizes) -> RoleSpec:
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


def _in_pool(needs: Needs, pool: Pool) -> Needs:
    """The needs of pods that are planned on nodes of the pool only; conflicts are refused elsewhere."""
    selector = {**dict(pool.selector), **dict(needs.constraints.node_selector)}
    return needs._replace(constraints=replace(needs.constraints, node_selector=tuple(sorted(selector.items()))))


def _awaited(asks: PodGangSpec, group: PodGroup) -> str:
    if group.going and group.waiting:
        return f"{group.going} pods of it are on nodes, of {asks.maximum} at most: {group.waiting} wait for their end."
    if group.going:
        return "Its pods are bound, and no other pod of it waits for a node."
    if not group.waiting:
        return f"No pod of it waits for a node. It needs {asks.minimum}."
    return f"{group.waiting} of the {asks.minimum} pods that it needs wait for a node."
