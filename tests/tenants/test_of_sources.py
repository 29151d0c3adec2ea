"""Pods of sources have every annotation that the operator reads, and none of them makes a price beyond its bound."""

import pytest

from lockstep.facts.gang.source import Source
from tenants.all_shapes import all_shapes
from tenants.bounds import too_dear
from tenants.of_sources import OF_SOURCE
from tenants.owners import ANNOTATIONS
from tenants.price import price

FIELDS = [f"{OF_SOURCE}.{source}.annotations" for source in (Source.JOB, Source.KUEUE_GROUP)]


@pytest.mark.parametrize("field", FIELDS)
def test_pods_with_each_annotation_at_its_longest_are_priced_within_their_bounds(field):
    [shape] = [one for one in all_shapes() if one.field == field]

    assert {*ANNOTATIONS} <= {name for pod in shape.make() for name in pod["metadata"]["annotations"]}
    assert [*too_dear(shape, price(shape))] == []
