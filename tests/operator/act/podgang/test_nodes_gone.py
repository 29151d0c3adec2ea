"""Nodes that vanish while an attempt of a Gang is under way."""

import asyncio

import pytest

from fake_cluster.api import DRY_RUN
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import bound, create
from fake_cluster.rig import operator_over
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio


async def test_nothing_is_bound_where_a_node_is_gone_before_the_first_binding():
    node = Place("nodes", "", "n2")

    def take_away(request):
        if request.verb == DRY_RUN and api.store.get(node):
            api.store.remove(node)

    async with operator_over() as (api, _):
        api.fault = take_away
        create(api, "a", "b", "c")
        await until(lambda: not api.store.get(node))
        await asyncio.sleep(30)

        assert bound(api) == []
