"""What the planner knows of a Gang: its spec, with roles from the pods that wait for nodes.

Pods with equal needs are one role. Together they are placed whole, or not at all. Pods that come while others of the
Gang are on nodes are placed beside these, as many as find room.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from coschedule import Constraints, Sizes
from lockstep.api.pool import Pool
from lockstep.facts.document import Document, PodTemplate
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec, Refusal, RefusedGang
from lockstep.facts.gang.pod_gang import PodGang, PodGangSpec, WaitingPod
from lockstep.facts.gang.role import Needs, RoleSpec
from lockstep.facts.reasons import Reason

_NEEDS_NOTHING = Needs(request=(), constraints=Constraints(), claims=())
_NO_TEMPLATE = Document.of({})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """Pods with equal needs, and the first of them."""

    name: str
    first: WaitingPod
    needs: Needs
    count: int


def composed(gang: PodGang, waiting: Sequence[WaitingPod], going: int, pool: Pool) -> GangFact:
    """The Gang as a gang of the pods ``waiting``, with ``going`` others on nodes already."""
    content = gang.asks if isinstance(gang.asks, Refusal) else _spec(gang, gang.asks, waiting, going, pool)
    if not isinstance(content, Refusal):
        content = replace(content, has_bound_pods=going > 0)
    common: dict[str, Any] = {
        "key": gang.key,
        "uid": gang.uid,
        "resource_version": gang.resource_version,
        "generation": gang.generation,
        "created": _asked_at(gang, waiting, going),
        "is_deleting": gang.is_deleting,
        "status": gang.status,
    }
    return (
        RefusedGang(**common, refusal=content) if isinstance(content, Refusal) else AcceptedGang(**common, spec=content)
    )


def _asked_at(gang: PodGang, waiting: Sequence[WaitingPod], going: int) -> float:
    """When enough pods were there. So a Gang does not grow older than its pods, and gains no place in the queue."""
    least = 1 if going or isinstance(gang.asks, Refusal) else gang.asks.minimum
    created = sorted(pod.created for pod in waiting)
    return max(gang.created, created[least - 1]) if len(created) >= least else gang.created


def role_of(pod: WaitingPod, roles: Iterable[RoleSpec], pool: Pool) -> str | None:
    """The role that was planned for pods with the needs of this one; None if none of these roles was."""
    if isinstance(pod.needs, Refusal):
        return None
    needs = _in_pool(pod.needs, pool)
    return next((role.name for role in roles if role.needs == needs), None)


def _spec(gang: PodGang, asks: PodGangSpec, pods: Sequence[WaitingPod], going: int, pool: Pool) -> GangSpec | Refusal:
    refusal = next((pod.needs for pod in pods if isinstance(pod.needs, Refusal)), None)
    classes = {asks.priority_class} if asks.priority_class else {pod.priority_class for pod in pods}
    refusal = refusal or _several_sources(pods) or (_several_classes(pods) if len(classes) > 1 else None)
    if gang.status.reserved_at is not None:
        return _content(asks, _reserved_roles(gang, pods, pool), classes)
    if refusal is not None:
        return refusal
    most = max(0, asks.maximum - going)
    least = 1 if going else asks.minimum
    shapes = _shapes(pods[:most])
    if min(len(pods), most) < least:
        sizes = Sizes(minimum=asks.minimum, maximum=max(asks.minimum, len(pods)))
        nothing = _content(asks, (_role("", _NEEDS_NOTHING, None, sizes),), classes)
        return replace(nothing, awaits_pods=_awaited(asks, len(pods), going))
    return _content(asks, tuple(_roles(shapes, least, going, pool)), classes)


def _roles(shapes: Sequence[_Shape], least: int, going: int, pool: Pool) -> Iterator[RoleSpec]:
    for shape in shapes:
        yield _role(shape.name, _in_pool(shape.needs, pool), shape.first, _sizes(shape, shapes, least, going))


def _sizes(shape: _Shape, shapes: Sequence[_Shape], least: int, going: int) -> Sizes:
    """The numbers of pods of one role: of several roles, all that are there; pods that come later, any number."""
    if going:
        return Sizes(minimum=1, maximum=shape.count)
    return Sizes(minimum=least if len(shapes) == 1 else shape.count, maximum=shape.count)


def _reserved_roles(gang: PodGang, pods: Sequence[WaitingPod], pool: Pool) -> tuple[RoleSpec, ...]:
    """The roles of the seats that the status holds, and what the pods need that are still to be bound."""
    counts: dict[str, int] = {}
    for entry in gang.status.members:
        counts[entry.role] = counts.get(entry.role, 0) + entry.count
    found = {"": next(iter(pods), None)} if "" in counts else {_name_of(pod): pod for pod in reversed(pods)}
    return tuple(
        _role(name, _needs_of(found.get(name), pool), found.get(name), Sizes(minimum=count, maximum=count))
        for name, count in counts.items()
    )


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


def _shapes(pods: Sequence[WaitingPod]) -> list[_Shape]:
    """The pods by their needs, in the order of the first of each."""
    alike: dict[Needs, list[WaitingPod]] = {}
    for pod in pods:
        if not isinstance(pod.needs, Refusal):
            alike.setdefault(pod.needs, []).append(pod)
    return [
        _Shape(name=_name(needs) if len(alike) > 1 else "", first=those[0], needs=needs, count=len(those))
        for needs, those in alike.items()
    ]


def _role(name: str, needs: Needs, first: WaitingPod | None, sizes: Sizes) -> RoleSpec:
    return RoleSpec(
        name=name,
        path="the pods",
        sizes=sizes,
        request=needs.request,
        constraints=needs.constraints,
        claims=needs.claims,
        pod_affinity=needs.pod_affinity,
        template=PodTemplate(document=_NO_TEMPLATE, labels=() if first is None else first.labels),
    )


def _in_pool(needs: Needs, pool: Pool) -> Needs:
    """The needs of pods that are planned on nodes of the pool only; conflicts are refused elsewhere."""
    selector = {**dict(pool.selector), **dict(needs.constraints.node_selector)}
    return needs._replace(constraints=replace(needs.constraints, node_selector=tuple(sorted(selector.items()))))


def _name_of(pod: WaitingPod) -> str:
    return "" if isinstance(pod.needs, Refusal) else _name(pod.needs)


def _needs_of(pod: WaitingPod | None, pool: Pool) -> Needs:
    return _NEEDS_NOTHING if pod is None or isinstance(pod.needs, Refusal) else _in_pool(pod.needs, pool)


def _name(needs: Needs) -> str:
    """A name for pods with these needs, the same in every process."""
    return f"pods-{hashlib.sha256(repr(needs).encode()).hexdigest()[:8]}"


def _several_sources(pods: Sequence[WaitingPod]) -> Refusal | None:
    found = {pod.source: pod.name for pod in pods}
    if len(found) <= 1:
        return None
    (one, pod), (other, other_pod), *_ = sorted(found.items())
    message = (
        f"Two sources name this Gang: pod {pod} belongs to it by {one}, and pod {other_pod} by {other}. Give one of "
        "them another name."
    )
    return Refusal(Reason.INVALID_SPEC, message)


def _several_classes(pods: Sequence[WaitingPod]) -> Refusal:
    found = {pod.priority_class: pod.name for pod in pods}
    (one, pod), (other, other_pod), *_ = sorted(found.items())
    message = (
        f"All pods of a Gang have one priority: pod {pod} has the priority class {one or 'of none'}, and pod "
        f"{other_pod} has {other}. Write priorityClassName in the Gang."
    )
    return Refusal(Reason.INVALID_SPEC, message)


def _awaited(asks: PodGangSpec, waiting: int, going: int) -> str:
    if going:
        return "Its pods are bound, and no other pod of it waits for a node."
    if not waiting:
        return f"No pod of it waits for a node. It needs {asks.minimum}."
    return f"{waiting} of the {asks.minimum} pods that it needs wait for a node."
