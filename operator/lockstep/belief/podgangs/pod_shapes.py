"""The waiting pods of a Gang, by their needs and by the roles of their Gang."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from lockstep.api.pool import Pool
from lockstep.belief.podgangs.own_pods import PodKind, PodsAlike
from lockstep.belief.podgangs.pods_by_role import NO_ROLE
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.role import Needs
from lockstep.facts.pods.pod import Labels

# A planned role's name begins with at most this many characters of the Gang's role. The whole name has at most 63.
_LONGEST = 48


class PodShape(NamedTuple):
    """Pods with equal needs, and of one role of their Gang: how many wait, and the labels that all of them have.

    ``name`` is the name of the planned role. ``role`` is '' for pods that name no role of their Gang.
    """

    name: str
    needs: Needs
    members: int
    labels: Labels
    role: str = NO_ROLE


def role_name(kind: PodKind, pool: Pool, role: str = NO_ROLE) -> str | None:
    """The name of the planned role for pods of that kind and role, the same in every process.

    None if these pods can't be planned.
    """
    if isinstance(kind.needs, Refusal):
        return None
    asked = repr((in_pool(kind.needs, pool), kind.selected, *([role] if role else ())))
    return f"{role[:_LONGEST] or 'pods'}-{hashlib.sha256(asked.encode()).hexdigest()[:8]}"


def shapes_of(alike: Sequence[PodsAlike], pool: Pool) -> list[PodShape]:
    """The shapes of these pods, with needs that only nodes of the pool satisfy.

    Pods that can't be planned are left out. The result does not depend on the order of the pods.
    """
    found: dict[str, PodShape] = {}
    for one in alike:
        for role, pods in _by_role(one):
            name = role_name(one.kind, pool, role)
            if name is not None and not isinstance(one.kind.needs, Refusal):
                before = found.get(name, PodShape(name, in_pool(one.kind.needs, pool), 0, one.labels, role))
                labels = tuple(sorted({*before.labels} & {*one.labels}))
                found[name] = before._replace(members=before.members + pods, labels=labels)
    return [shape for _, shape in sorted(found.items())]


def without_roles(alike: Sequence[PodsAlike]) -> list[PodsAlike]:
    """The same pods as if their Gang had no roles."""
    return [one._replace(roles={}) for one in alike]


def capped(shapes: Sequence[PodShape], most: int) -> list[PodShape]:
    """The first ``most`` of these pods."""
    taken = []
    for shape in shapes:
        members = min(shape.members, most)
        most -= members
        if members > 0:
            taken.append(shape._replace(members=members))
    return taken


def in_pool(needs: Needs, pool: Pool) -> Needs:
    """The needs, with a selector for nodes of the pool. Conflicts of selectors are refused elsewhere."""
    selector = {**dict(pool.selector), **dict(needs.constraints.node_selector)}
    return needs._replace(constraints=replace(needs.constraints, node_selector=tuple(sorted(selector.items()))))


def _by_role(alike: PodsAlike) -> Iterator[tuple[str, int]]:
    yield from alike.roles.items()
    others = alike.pods - sum(alike.roles.values())
    if others:
        yield NO_ROLE, others
