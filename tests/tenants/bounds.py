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
# By the shape's name.
_OTHERS = {
    "small, of many": Bounds(
        Price(step=5.0, work=4.0, memory=40.0), "As many gangs again as wait without them, which ask for more members."
    ),
}


def bounds_of(shape: Shape) -> Bounds:
    """The bounds on the price of a shape."""
    return _OTHERS.get(shape.name, USUAL)


def too_dear(shape: Shape, price: Price) -> Iterator[str]:
    """What of a price is beyond its bounds, as phrases with numbers that name the field."""
    largest = bounds_of(shape).largest
    for measure, most in largest._asdict().items():
        paid = getattr(price, measure)
        if paid > most:
            yield f"{shape.plural} {shape.field}, {shape.name}: {measure} {paid:.2f} is more than {most:.2f}"
