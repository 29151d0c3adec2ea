"""What objects of one tenant may cost the others: the one table of bounds on prices, each with its reason."""

from collections.abc import Iterator
from typing import NamedTuple

from tenants.of_sources import OF_SOURCE
from tenants.ordinary import Delay
from tenants.others import MEMBER
from tenants.price import Price
from tenants.shapes import OWN, Shape


class Bounds(NamedTuple):
    """The largest price of a shape, and why it may be so large."""

    largest: Price
    reason: str


class DelayBounds(NamedTuple):
    """The most that ordinary gangs may meet beside the objects of a group of shapes, and why it may be so much."""

    largest: Delay
    reason: str


class Nearest(NamedTuple):
    """What a shape pays by one measure, and the most that it may."""

    measure: str
    paid: float
    most: float

    @property
    def share(self) -> float:
        """The share of the bound."""
        return self.paid / self.most

    def __str__(self) -> str:
        return f"{self.measure} {self.paid:.2f} of {self.most:.2f}"


# The longest step of the cluster has about 100,000 instructions, a plan about 1,350,000; a million take about 50 ms.
USUAL = Bounds(
    Price(step=5.0, work=2.0, reading=40.0, memory=50.0),
    "A step takes less than 25 ms, and a plan as much as with twice as many gangs. A GangJob of 10,000 entries "
    "takes less than 200 ms to read, beside the event loop. Small objects are kept as some KB.",
)
_OF_OTHERS = Bounds(
    Price(step=5.0, work=1.25, reading=20.0, memory=50.0),
    "It is no gang, so a plan has little to do with it. Kubernetes bounds it by bytes alone: it takes less than "
    "100 ms to read, beside the event loop.",
)
_OF_MEMBERS = Bounds(
    Price(step=5.0, work=4.0, reading=20.0, memory=50.0),
    "It is a part of a gang, so a plan looks at what it asks for. Beyond the bounds of templates it is refused, but it "
    "has to be read before that.",
)
_MANY = Bounds(
    Price(step=5.0, work=4.0, reading=5.0, memory=50.0),
    "There are as many gangs again as without them, with more members each.",
)
_BY_NAME = {
    "small, of many": _MANY,
    "label of every node": _MANY,
}
DELAYS = DelayBounds(
    Delay(latency=3.0, cpu=5.0, peak=128.0, held=0.25),
    "A gang that takes half a second takes less than two beside 16 objects of 1.4 MB that have just come. The memory "
    "is what a cluster's objects may take at the start.",
)


def bounds_of(shape: Shape) -> Bounds:
    """The bounds on the price of a shape."""
    if shape.plural in OWN:
        return _BY_NAME.get(shape.name, USUAL)
    return _OF_MEMBERS if shape.field.startswith((MEMBER, OF_SOURCE)) else _BY_NAME.get(shape.name, _OF_OTHERS)


def too_dear(shape: Shape, price: Price) -> Iterator[str]:
    """What of a price is beyond its bounds, as phrases with numbers that name the field."""
    yield from _beyond(shape, price, bounds_of(shape).largest)


def too_slow(shape: Shape, delay: Delay) -> Iterator[str]:
    """What of the delays beside a shape is beyond its bounds, as phrases with numbers that name the field."""
    yield from _beyond(shape, delay, DELAYS.largest)


def _beyond(shape: Shape, paid: Price | Delay, largest: Price | Delay) -> Iterator[str]:
    for measure, most in largest._asdict().items():
        one = getattr(paid, measure)
        if one > most:
            yield f"{shape.plural} {shape.field}, {shape.name}: {measure} {one:.2f} is more than {most:.2f}"


def nearest(shape: Shape, price: Price, delay: Delay) -> Nearest:
    """The bound of which a shape takes the largest share."""
    of_price = zip(Price._fields, price, bounds_of(shape).largest, strict=True)
    of_delay = zip(Delay._fields, delay, DELAYS.largest, strict=True)
    return max((Nearest(*one) for one in (*of_price, *of_delay)), key=lambda one: one.share)
