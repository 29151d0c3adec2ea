"""Shapes that are alike share a cluster, so that all of them are priced in a bounded time.

What a group pays is at least what each of its shapes would pay alone. So a group within the bounds of one shape is
measured once. A group beyond them is measured again in halves, down to single shapes.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from tenants.of_sources import OF_SOURCE
from tenants.shapes import MANY, Shape
from tenants.sweeps import RUNS

Paid = TypeVar("Paid")
Part = TypeVar("Part")
Group = Sequence[Shape]

_MOST_SHAPES = 32
_MOST_OBJECTS = 2_000
_MOST_GANGS = 80
# The bounds are those of one gang, so a group of more runs would be priced again in halves.
_MOST_RUNS = 40
_OF_MANY = "small, of many"


def groups_of(shapes: Sequence[Shape]) -> Iterator[Group]:
    """The shapes in groups of one kind of objects and one name, in the order in which they came."""
    alike: dict[tuple[str, str, bool], list[Shape]] = defaultdict(list)
    for shape in shapes:
        alike[shape.plural, shape.name, _has_many(shape)].append(shape)
    for (plural, _, has_many), ones in alike.items():
        most = most_together(plural, has_many=has_many)
        yield from (ones[first : first + most] for first in range(0, len(ones), most))


def _has_many(shape: Shape) -> bool:
    return shape.name in (_OF_MANY, "label of every node") or shape.field.startswith(OF_SOURCE)


def most_together(plural: str, *, has_many: bool) -> int:
    """How many shapes share a cluster. Bids have the names of nodes, and Gangs those in labels of pods: one each."""
    if plural in ("nodebids", "gangs"):
        return 1
    objects = MANY[plural] if has_many else 1
    most = {"gangjobs": _MOST_GANGS, "gangsweeps": _MOST_RUNS // RUNS}.get(plural, _MOST_OBJECTS)
    return min(_MOST_SHAPES, max(1, most // objects))


def each(
    group: Sequence[Part], measure: Callable[[Sequence[Part]], list[Paid]], is_dear: Callable[[Part, Paid], bool]
) -> list[Paid]:
    """What each part of a group pays at most: its own where the group pays more than one shape may."""
    paid = measure(group)
    if len(group) == 1 or not any(map(is_dear, group, paid)):
        return paid
    half = len(group) // 2
    return each(group[:half], measure, is_dear) + each(group[half:], measure, is_dear)
