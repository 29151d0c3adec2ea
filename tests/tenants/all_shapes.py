"""All shapes that are priced."""

from tenants.others import shapes_of_others
from tenants.shapes import Shape, shapes_of_bids, shapes_of_gangs


def all_shapes() -> list[Shape]:
    """Every shape, always in the same order."""
    return [*shapes_of_gangs(), *shapes_of_bids(), *shapes_of_others()]
