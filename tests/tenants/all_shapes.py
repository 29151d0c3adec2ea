"""All shapes that are priced."""

from tenants.shapes import Shape, shapes_of_bids, shapes_of_gangs


def all_shapes() -> list[Shape]:
    """Every shape, always in the same order."""
    return [*shapes_of_gangs(), *shapes_of_bids()]
