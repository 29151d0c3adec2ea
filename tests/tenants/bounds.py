"""What objects of one tenant may cost the others: the one table of bounds on prices, each with its reason."""

from collections.abc import Iterator
from typing import NamedTuple

from tenants.price import Price
from tenants.shapes import Shape


class Bounds(NamedTuple):
    """The largest price of a shape, and why it may be so large."""

    largest: Price
    reason: str


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
_MANY = Bounds(
    Price(step=5.0, work=4.0, reading=5.0, memory=50.0),
    "There are as many gangs again as without them, with more members each.",
)
_BY_NAME = {
    "small, of many": _MANY,
    "label of every node": _MANY,
}
_OWN = ("gangjobs", "nodebids")


def bounds_of(shape: Shape) -> Bounds:
    """The bounds on the price of a shape."""
    return _BY_NAME.get(shape.name, USUAL if shape.plural in _OWN else _OF_OTHERS)


def too_dear(shape: Shape, price: Price) -> Iterator[str]:
    """What of a price is beyond its bounds, as phrases with numbers that name the field."""
    largest = bounds_of(shape).largest
    for measure, most in largest._asdict().items():
        paid = getattr(price, measure)
        if paid > most:
            yield f"{shape.plural} {shape.field}, {shape.name}: {measure} {paid:.2f} is more than {most:.2f}"
