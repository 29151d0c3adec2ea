"""Gangs whose members come and go, with gaps in their ranks or several troubles at once."""

import asyncio
from itertools import product

import pytest

from builders.served import bid
from fake_cluster.elastic import FIVE, FOUR, elastic, run, with_launcher
from fake_cluster.joining import node_of, ranks_of, until_size
from fake_cluster.jumping import until
from fake_cluster.rig import (
    api_with,
    condition,
    is_placed,
    operator_over,
    pod_place,
    pods_of,
    running_operator,
    set_phase,
    status_of,
)
from fake_cluster.store import Place
from lockstep.belief.lost_nodes import OUT_OF_SERVICE

pytestmark = pytest.mark.asyncio

SUCCEEDED = ("True", "Succeeded")


def pods_of_role(api, role):
    return [pod for pod in pods_of(api, "g") if pod["metadata"]["labels"]["lockstep.dev/role"] == role]


@pytest.mark.parametrize("decides", ["launcher", "workers"])
@pytest.mark.parametrize("is_first", [True, False], ids=["launcher first", "workers first"])
async def test_role_decides_on_the_success_of_a_gang_with_gaps_in_its_ranks(is_first, decides):
    async with operator_over(*FIVE) as (api, _):
        await run(api, with_launcher(is_first=is_first, mode="Members", successPolicy={"role": decides}))
        api.store.remove(pod_place(f"g-1-{2 if is_first else 1}"))
        await until_size(api, 4)

        *others, last = pods_of_role(api, decides)
        for pod in others:
            set_phase(api, pod, "Succeeded")
        await asyncio.sleep(30)
        assert condition(api, "g", "Complete")[0] == "False"
        set_phase(api, last, "Succeeded")
        await until(lambda: condition(api, "g", "Complete") == SUCCEEDED)


AT_ONCE = tuple(bid(f"n{number}", onReturn="Evict", gracePeriodSeconds=0) for number in range(1, 5))
DEAD = {"key": OUT_OF_SERVICE, "value": "x", "effect": "NoExecute"}
TROUBLES = {
    "lost": lambda api, rank, _: api.store.remove(pod_place(f"g-1-{rank}")),
    "evicted": lambda api, rank, _: set_phase(api, f"g-1-{rank}", "Failed", reason="Evicted"),
    "owner": lambda api, _, node: api.store.change(Place("nodebids", "", node), spec={"ownerPresent": True}),
    "node": lambda api, _, node: api.store.change(Place("nodes", "", node), spec={"taints": [DEAD]}),
}


@pytest.mark.parametrize(("one", "other"), list(product(TROUBLES, repeat=2)))
async def test_two_members_that_go_before_the_next_process_begins_leave_together(one, other):
    async with api_with(*FOUR, bids=AT_ONCE) as api:
        async with running_operator(api):
            manifest = elastic(mode="Members")
            await run(api, {**manifest, "spec": {**manifest["spec"], "size": {"allowed": [2, 4]}}})
        where = {1: node_of(api, 1), 2: node_of(api, 2)}
        TROUBLES[one](api, 1, where[1])
        TROUBLES[other](api, 2, where[2])
        async with running_operator(api):
            await until(lambda: status_of(api)["size"] == 2)
            await until(lambda: ranks_of(api) == [0, 3])

            assert (status_of(api)["attempt"], status_of(api)["ranks"], is_placed(api)) == (1, "0,3", True)


async def test_program_that_fails_as_its_peer_vanishes_leaves_with_it():
    async with operator_over(*FOUR) as (api, _):
        await run(api, elastic(mode="Members"))

        set_phase(api, "g-1-1", "Failed")
        api.store.remove(pod_place("g-1-3"))
        await until(lambda: ranks_of(api) == [0, 2])

        assert (status_of(api)["attempt"], status_of(api)["size"], is_placed(api)) == (1, 2, True)
