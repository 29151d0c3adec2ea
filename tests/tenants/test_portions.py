"""Portions of groups: none is left out, and none has more at the same time than may be measured at once."""

import pytest

from tenants.made import Made
from tenants.portions import MOST_BYTES_OF_OTHERS, MOST_OBJECTS, Counted, created, portions, share
from tenants.price import Price
from tenants.shapes import Shape

CHEAP = Price(step=1.0, work=1.0, reading=1.0, memory=1.0)


def group_of(number, plural, *, shapes=1, objects=1, size=100):
    return [
        Counted(number, Shape(plural, f"field {one}", "large", list), CHEAP, [b"x" * size] * objects)
        for one in range(shapes)
    ]


def numbers_of(found):
    return [sorted({one.number for one in portion}) for portion in found]


@pytest.mark.parametrize(
    ("groups", "want"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([("pods", {"objects": 150})] * 4, [[0, 1, 2, 3]], id="as many objects as may be"),
        pytest.param([("pods", {"objects": 200})] * 4, [[0, 1, 2], [3]], id="more objects"),
        pytest.param([("gangjobs", {"objects": 40}), ("gangs", {"objects": 40})] * 2, [[0, 1], [2, 3]], id="gangs"),
        pytest.param([("gangsweeps", {"objects": 10})] * 3, [[0, 1], [2]], id="sweeps, each of which makes gangs"),
        pytest.param([("nodebids", {}), ("pods", {}), ("nodebids", {})], [[0, 1], [2]], id="bids of the same nodes"),
        pytest.param([("gangs", {"size": 2**23})] * 3, [[0, 1], [2]], id="bytes"),
        pytest.param([("gangs", {"size": 2**25})] * 2, [[0], [1]], id="groups that are too large for any portion"),
    ],
)
def test_groups_share_a_portion_while_it_is_small(groups, want):
    made = [group_of(number, plural, **given) for number, (plural, given) in enumerate(groups)]

    assert numbers_of(portions(made)) == want


def test_every_shape_is_in_one_portion():
    made = [group_of(number, "gangjobs", shapes=1 + number % 7, objects=20) for number in range(50)]

    assert [one for portion in portions(made) for one in portion] == [one for group in made for one in group]


@pytest.mark.parametrize("shapes", [1, 3, 4])
def test_shapes_of_a_group_create_as_many_objects_each(shapes):
    assert len(share(group_of(0, "pods", shapes=shapes, objects=500))) == MOST_OBJECTS // shapes * shapes


@pytest.mark.parametrize(("plural", "want"), [("gangjobs", 2), ("pods", 1)])
def test_what_is_large_is_created_only_where_our_schema_bounds_it(plural, want):
    texts = [b"x" * MOST_BYTES_OF_OTHERS, b"x" * (MOST_BYTES_OF_OTHERS + 1)]

    assert len(created(Made(Shape(plural, "field", "large", list), texts))) == want
