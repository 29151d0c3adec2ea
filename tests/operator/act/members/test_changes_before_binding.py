"""Nodes that change after members were created: no member is bound where it would not be planned."""

import pytest

from builders.served import at, bid, gang, node, pod
from builders.volumes import ephemeral
from fake_cluster.api import POST
from fake_cluster.jumping import now, until
from fake_cluster.rig import api_with, bound, is_placed, pods_of, running_operator, status_of
from fake_cluster.storage import CLASS, add_class, storage_of
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

TAINT = {"key": "mine", "value": "only", "effect": "NoSchedule"}


def change_node(**spec):
    return lambda api: api.store.change(Place("nodes", "", "n1"), spec=spec)


CHANGES = [
    pytest.param(change_node(unschedulable=True), id="cordoned"),
    pytest.param(change_node(taints=[TAINT]), id="tainted"),
    pytest.param(lambda api: api.store.remove(Place("nodes", "", "n1")), id="gone"),
    pytest.param(lambda api: api.store.add("pods", pod("foreign", node="n1", cpu="8")), id="full"),
    pytest.param(lambda api: api.store.add("nodebids", bid("n1", availableFrom=at(now() + 3600))), id="not open"),
]


@pytest.mark.parametrize("change", CHANGES)
async def test_members_that_wait_for_volumes_are_not_bound_to_a_node_that_has_changed(change):
    async with api_with(node("n1"), gangs=[gang("g", pod_spec=ephemeral(CLASS))]) as api:
        add_class(api)
        async with storage_of(api, ignores={"n1"}) as storage, running_operator(api):
            await until(lambda: len(pods_of(api, "g")) == 2 and api.store.objects("persistentvolumeclaims"))
            change(api)
            api.store.add("nodes", node("n2"))
            seen = []
            api.fault = lambda request: seen.extend(bound(pods_of(api, "g")))
            storage.ignores.clear()
            await until(lambda: is_placed(api))

        assert bound(pods_of(api, "g")) == ["n2"] * 2
        assert set(seen) <= {"n2"}
        assert status_of(api)["attempt"] == 2


@pytest.mark.parametrize("change", CHANGES)
async def test_members_whose_creation_takes_long_are_not_bound_to_a_node_that_has_changed(change):
    async with api_with(node("n1"), gangs=[gang("g")]) as api:
        left = [change]

        def decide(request):
            if request[:2] == (POST, "pods") and left and len(pods_of(api, "g")) == 1:
                left.pop()(api)
                api.store.add("nodes", node("n2"))

        api.fault = decide
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert bound(pods_of(api, "g")) == ["n2"] * 2
        assert status_of(api)["attempt"] == 2
