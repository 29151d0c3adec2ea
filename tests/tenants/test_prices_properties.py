"""No object of one tenant costs the others more than its bound: of all that are priced a run asks a few, by seed."""

import random

import pytest

from tenants.all_shapes import all_shapes
from tenants.bounds import too_dear
from tenants.price import price

SHAPES_OF_SEED = 2


@pytest.mark.parametrize("seed", range(16))
def test_price_of_a_shape_is_within_its_bounds(seed):
    shapes = random.Random(seed).sample(all_shapes(), SHAPES_OF_SEED)  # noqa: S311 - a sample is no secret

    assert [phrase for shape in shapes for phrase in too_dear(shape, price(shape))] == []
