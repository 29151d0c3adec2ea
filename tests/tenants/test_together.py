"""Shapes that are priced together: each is in one group, and a dear one is found, however many share its group."""

from collections import Counter

import pytest

from tenants.all_shapes import all_shapes
from tenants.made import made_of
from tenants.shapes import Shape
from tenants.together import each, groups_of

SHAPES = all_shapes()


def test_every_shape_is_in_one_group():
    grouped = Counter(shape[:3] for group in groups_of(SHAPES) for shape in group)

    assert grouped == Counter(shape[:3] for shape in SHAPES)


def test_shapes_of_a_group_are_alike():
    assert all(len({(shape.plural, shape.name) for shape in group}) == 1 for group in groups_of(SHAPES))


@pytest.mark.parametrize("dear", [set(), {0}, {6}, {2, 3}, set(range(7))])
def test_only_dear_shapes_have_a_price_beyond_the_bound(dear):
    group = [Shape("things", str(number), "large", list) for number in range(7)]

    def measured(shapes):
        total = sum(100 if int(shape.field) in dear else 1 for shape in shapes)
        return [total] * len(shapes)

    paid = each(group, measured, lambda _, price: price > 10)

    assert {number for number, price in enumerate(paid) if price > 10} == dear


def test_objects_of_shapes_that_share_a_cluster_have_names_of_their_own():
    group = next(group for group in groups_of(SHAPES) if group[0].name == "small, of many")

    texts = [text for one in made_of(group) for text in one.texts]

    assert len(group) > 1
    assert len(set(texts)) == len(texts)
