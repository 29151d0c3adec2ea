"""All shapes that are priced."""

from functools import cache

from tenants.begun import shapes_of_begun_gangs
from tenants.of_sources import shapes_of_sources
from tenants.others import shapes_of_others
from tenants.shapes import Shape, shapes_of_bids, shapes_of_gangs, shapes_of_pod_gangs
from tenants.sweeps import shapes_of_sweeps


@cache
def all_shapes() -> tuple[Shape, ...]:
    """Every shape, always in the same order."""
    gangs = (*shapes_of_gangs(), *shapes_of_pod_gangs(), *shapes_of_begun_gangs())
    return (*gangs, *shapes_of_bids(), *shapes_of_sweeps(), *shapes_of_others(), *shapes_of_sources())
