"""What objects of one tenant may cost the others: the one table of bounds on prices, each with its reason."""

from collections.abc import Iterator
from typing import NamedTuple

from tenants.price import Price
from tenants.shapes import Shape


class Bounds(NamedTuple):
    """The largest price of a shape, and why it may be so large."""

    largest: Price
    reason: str


# The longest step of the cluster has about 90,000 instructions, a plan about 1,200,000; a million take about 50 ms.
USUAL = Bounds(
    Price(step=5.0, work=2.0, memory=40.0),
    "A step takes less than 25 ms, and a plan as much as with twice as many gangs. Small objects are kept as some KB.",
)
_FULL = Bounds(
    Price(step=30.0, work=2.0, memory=40.0),
    "A GangJob is read in one step, with all of the 10,000 entries that it may have: 2,500,000 instructions.",
)
_STORED = Bounds(
    Price(step=60.0, work=1.25, memory=40.0),
    "It is no gang, so a plan has little to do with it. But Kubernetes bounds it by bytes alone, and all of it "
    "is read in one step: 5,000,000 instructions.",
)
_MANY = Bounds(
    Price(step=5.0, work=4.0, memory=40.0), "There are as many gangs again as without them, with more members each."
)
_BY_NAME = {
    "wherever it can be": _FULL,
    "as often as it is read": _FULL,
    "small, of many": _MANY,
    "label of every node": _MANY,
}
_OWN = ("gangjobs", "nodebids")


def bounds_of(shape: Shape) -> Bounds:
    """The bounds on the price of a shape."""
    bounds = _BY_NAME.get(shape.name, USUAL)
    return bounds if shape.plural in _OWN or bounds is _MANY or shape.name == "largest" else _STORED


def too_dear(shape: Shape, price: Price) -> Iterator[str]:
    """What of a price is beyond its bounds, as phrases with numbers that name the field."""
    largest = bounds_of(shape).largest
    for measure, most in largest._asdict().items():
        paid = getattr(price, measure)
        if paid > most:
            yield f"{shape.plural} {shape.field}, {shape.name}: {measure} {paid:.2f} is more than {most:.2f}"
