"""What the planner knows of a Gang: its spec, with roles from the pods that wait for nodes.

Pods with equal needs are one role. Together they are placed whole, or not at all. Pods that come while others of the
Gang are on nodes are placed beside these, as many as find room.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from coschedule import Constraints, Sizes
from lockstep.api.pool import Pool
from lockstep.belief.podgangs.pod_group import AlikePods, PodGroup
from lockstep.belief.podgangs.refusals import MOST_KINDS, refusal_of_pods
from lockstep.facts.document import Document, PodTemplate
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec, Refusal, RefusedGang
from lockstep.facts.gang.pod_gang import PodGang, PodGangSpec, WaitingPod
from lockstep.facts.gang.role import Needs, RoleSpec
from lockstep.facts.pods.pod import Labels

_NEEDS_NOTHING = Needs(request=(), constraints=Constraints(), claims=())
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


def composed(gang: PodGang, group: PodGroup, pool: Pool) -> GangFact:
    """The Gang as a gang of the pods that wait."""
    content = gang.asks if isinstance(gang.asks, Refusal) else _spec(gang, gang.asks, group, pool)
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
    return AcceptedGang(**common, spec=replace(content, has_bound_pods=group.going > 0))


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


def _spec(gang: PodGang, asks: PodGangSpec, group: PodGroup, pool: Pool) -> GangSpec | Refusal:
    # One more than there may be shows that they are too many; a user can make thousands.
    alike = list(islice(group.alike(), MOST_KINDS + 1))
    most = max(0, asks.maximum - group.going)
    shapes = _shapes(alike, most, pool)
    classes = {asks.priority_class} if asks.priority_class else {one.priority_class for one, _, _ in alike}
    if gang.status.reserved_at is not None:
        return _content(asks, _reserved_roles(gang, shapes), classes)
    refusal = refusal_of_pods(alike, asks)
    if refusal is not None:
        return refusal
    least = 1 if group.going else asks.minimum
    if min(group.waiting, most) < least:
        sizes = Sizes(minimum=asks.minimum, maximum=max(asks.minimum, group.waiting))
        nothing = _content(asks, (_role("", _NEEDS_NOTHING, (), sizes),), classes)
        return replace(nothing, awaits_pods=_awaited(asks, group))
    sizes_of = [_sizes(shape.members, least, is_only=len(shapes) == 1, is_beside=group.going > 0) for shape in shapes]
    names = [shape.name if len(shapes) > 1 else "" for shape in shapes]
    roles = zip(names, shapes, sizes_of, strict=True)
    return _content(asks, tuple(_role(name, one.needs, one.labels, sizes) for name, one, sizes in roles), classes)


def _sizes(count: int, least: int, *, is_only: bool, is_beside: bool) -> Sizes:
    """The numbers of pods of one role: of several roles, all that are there; pods that come later, any number."""
    fewest = 1 if is_beside else least if is_only else count
    return Sizes(minimum=fewest, maximum=count)


def _shapes(alike: Sequence[tuple[AlikePods, int, WaitingPod]], most: int, pool: Pool) -> list[_Shape]:
    """The pods by their needs, on nodes of the pool, ``most`` of them at most."""
    counts: dict[Needs, int] = {}
    labels: dict[Needs, Labels] = {}
    for likeness, count, pod in alike:
        if not isinstance(likeness.needs, Refusal):
            needs = _in_pool(likeness.needs, pool)
            taken = min(count, most - sum(counts.values()))
            counts[needs] = counts.get(needs, 0) + taken
            labels.setdefault(needs, pod.labels)
    return [_Shape(needs, count, labels[needs]) for needs, count in counts.items() if count]


def _reserved_roles(gang: PodGang, shapes: Sequence[_Shape]) -> tuple[RoleSpec, ...]:
    """The roles of the seats that the status holds, and what the pods need that are still to be bound."""
    counts: dict[str, int] = {}
    for entry in gang.status.members:
        counts[entry.role] = counts.get(entry.role, 0) + entry.count
    nothing = _Shape(_NEEDS_NOTHING, 0, ())
    found = {"": next(iter(shapes), nothing)} if "" in counts else {shape.name: shape for shape in shapes}
    sizes = {name: Sizes(minimum=count, maximum=count) for name, count in counts.items()}
    left = {name: found.get(name, nothing) for name in counts}
    return tuple(_role(name, left[name].needs, left[name].labels, sizes[name]) for name in counts)


def _content(asks: PodGangSpec, roles: tuple[RoleSpec, ...], classes: set[str]) -> GangSpec:
    return GangSpec(
        roles=roles,
        work=asks.work,
        deadline_seconds=asks.deadline_seconds,
        priority_class=min(classes, default=""),
        one_per=asks.one_per,
        all_in=asks.all_in,
        sizing=asks.sizing,
    )


def _role(name: str, needs: Needs, labels: Labels, sizes: Sizes) -> RoleSpec:
    return RoleSpec(
        name=name,
        path="the pods",
        sizes=sizes,
        request=needs.request,
        constraints=needs.constraints,
        claims=needs.claims,
        pod_affinity=needs.pod_affinity,
        template=PodTemplate(document=_NO_TEMPLATE, labels=labels),
    )


def _in_pool(needs: Needs, pool: Pool) -> Needs:
    """The needs of pods that are planned on nodes of the pool only; conflicts are refused elsewhere."""
    selector = {**dict(pool.selector), **dict(needs.constraints.node_selector)}
    return needs._replace(constraints=replace(needs.constraints, node_selector=tuple(sorted(selector.items()))))


def _awaited(asks: PodGangSpec, group: PodGroup) -> str:
    if group.going:
        return "Its pods are bound, and no other pod of it waits for a node."
    if not group.waiting:
        return f"No pod of it waits for a node. It needs {asks.minimum}."
    return f"{group.waiting} of the {asks.minimum} pods that it needs wait for a node."
