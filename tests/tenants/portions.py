"""Portions of groups that are measured at the same time: one that stays within the bounds proves it of every shape."""

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import NamedTuple

from tenants.made import Made
from tenants.price import Price
from tenants.shapes import OWN, Shape

MOST_OBJECTS = 200
"""As many objects of one group are created at most; more would mostly keep the API server busy."""
MOST_BYTES_OF_OTHERS = 2**17
"""It takes minutes to validate some of the largest pods, so objects that Kubernetes alone bounds are only counted."""
_OBJECTS_OF_PORTION = 600
_GANGS_OF_PORTION = 80
_BYTES_OF_PORTION = 2**24
# A sweep goes on making GangJobs while ordinary gangs come: beside 36 sweeps, a portion was divided.
_GANGS_OF_SWEEP = 4


class Counted(NamedTuple):
    """A shape, what it costs, counted, and its objects that are created; the number is that of its group."""

    number: int
    shape: Shape
    price: Price
    texts: Sequence[bytes]


class Size(NamedTuple):
    """How much a group or a portion has at the same time."""

    objects: int
    gangs: int
    bids: int
    bytes_of_json: int

    def plus(self, other: "Size") -> "Size":
        """Both together."""
        return Size(*(one + another for one, another in zip(self, other, strict=True)))

    @property
    def is_portion(self) -> bool:
        """Whether so much may be measured at the same time. Bids have the names of nodes, so two groups never are."""
        most = (_OBJECTS_OF_PORTION, _GANGS_OF_PORTION, 1, _BYTES_OF_PORTION)
        return all(one <= limit for one, limit in zip(self, most, strict=True))


def created(one: Made) -> list[bytes]:
    """The objects of a shape that a group with no other shapes creates."""
    most = inf if one.shape.plural in OWN else MOST_BYTES_OF_OTHERS
    return [text for text in one.texts[:MOST_OBJECTS] if len(text) <= most]


def share(group: Sequence[Counted]) -> list[bytes]:
    """The objects of all shapes of a group that are created: as many of each."""
    return [text for one in group for text in one.texts[: MOST_OBJECTS // len(group)]]


def portions(groups: Iterable[Sequence[Counted]]) -> Iterator[list[Counted]]:
    """The shapes of as many groups as may be measured at the same time, in the order in which the groups come."""
    portion: list[Counted] = []
    so_far = Size(0, 0, 0, 0)
    for group in groups:
        both = so_far.plus(_size(group))
        if portion and not both.is_portion:
            yield portion
            portion, both = [], _size(group)
        portion, so_far = [*portion, *group], both
    if portion:
        yield portion


def _size(group: Sequence[Counted]) -> Size:
    texts, plural = share(group), group[0].shape.plural
    gangs = len(texts) * {"gangjobs": 1, "gangs": 1, "gangsweeps": _GANGS_OF_SWEEP}.get(plural, 0)
    return Size(len(texts), gangs, int(plural == "nodebids"), sum(map(len, texts)))
