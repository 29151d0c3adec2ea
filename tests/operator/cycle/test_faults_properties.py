"""Many gangs on a troubled API server: never too much on a node, never a partial gang, and all of them land."""

import random
from collections import Counter

import pytest

from builders.served import gang, node
from fake_cluster.api import ANSWER_LOST, NEVER_ARRIVED, REFUSED, FakeApi, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import bound, condition, gang_place, pods_of, running_operator, set_phase
from lockstep.api.quantities import base_units

pytestmark = pytest.mark.asyncio

FAULTS = [NEVER_ARRIVED, ANSWER_LOST, REFUSED, Refusal(code=500), Refusal(code=429), Refusal(code=409)]
SIZES = (1, 2, 3, 4, 4, 3, 2, 1)
GANGS = {f"g{number}": size for number, size in enumerate(SIZES)}
ROOM = 4000  # milli-CPU a node


def troubled(rnd, requests):
    """A third of the first requests meet a fault."""
    left = iter(range(requests))

    def decide(_):
        return rnd.choice(FAULTS) if next(left, None) is not None and rnd.random() < 1 / 3 else None

    return decide


def has_ended(manifest):
    return manifest["status"]["phase"] in {"Succeeded", "Failed"}


def overcommitted(api):
    """The nodes whose pods ask for more than there is."""
    used = Counter()
    for it in api.store.objects("pods"):
        if not has_ended(it):
            for container in it["spec"]["containers"]:
                used[it["spec"].get("nodeName")] += base_units("cpu", container["resources"]["requests"]["cpu"])
    return [name for name, amount in used.items() if name and amount > ROOM]


def is_settled(api, name):
    """Placed, done, or waiting without a pod: no attempt is under way."""
    placed, complete = condition(api, name, "Placed"), condition(api, name, "Complete")
    reserved = "reservedAt" in api.store.get(gang_place(name)).get("status", {})
    return complete == ("True", "Succeeded") or placed == ("True", "Bound") or not reserved


def let_placed_gangs_end(api):
    for name in GANGS:
        if condition(api, name, "Placed") == ("True", "Bound") and condition(api, name, "Complete")[0] == "False":
            for it in pods_of(api, name):
                set_phase(api, it, "Succeeded")


def check(api):
    assert overcommitted(api) == []
    for name, size in GANGS.items():
        on_nodes = len(bound(pods_of(api, name)))
        if is_settled(api, name) and condition(api, name, "Placed") == ("True", "Bound"):
            assert on_nodes == size, (name, on_nodes)


@pytest.mark.parametrize("seed", range(4))
async def test_every_gang_lands_whole_in_the_end(seed):
    rnd = random.Random(seed)  # noqa: S311 - cases of a test are no secrets
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1", cpu="4"), node("n2", cpu="4"))
        api.store.add("gangjobs", *[gang(name, size=size) for name, size in GANGS.items()])
        async with running_operator(api) as parts:
            api.fault = troubled(rnd, requests=150)

            def everything_is_done():
                check(api)
                let_placed_gangs_end(api)
                return all(condition(api, name, "Complete") == ("True", "Succeeded") for name in GANGS)

            await until(everything_is_done, seconds=3600)
            assert (parts.state.reservations, parts.state.ledger.assumed) == ({}, 0)
        for name, size in GANGS.items():
            assert len(pods_of(api, name)) == size


@pytest.mark.parametrize("seed", range(3))
async def test_restarts_at_any_moment_lose_and_double_nothing(seed):
    rnd = random.Random(seed)  # noqa: S311 - cases of a test are no secrets
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1", cpu="16"), node("n2", cpu="16"))
        api.store.add("gangjobs", *[gang(name, size=size) for name, size in GANGS.items()])
        for _ in range(6):
            limit = len(api.writes) + rnd.randint(1, 12)
            api.fault = lambda request, limit=limit: (
                NEVER_ARRIVED if request.is_write and len(api.writes) > limit else None
            )
            async with running_operator(api):
                await until(lambda limit=limit: len(api.writes) > limit or all_placed(api))
        api.fault = lambda _: None
        async with running_operator(api):
            await until(lambda: all_placed(api))

        for name, size in GANGS.items():
            assert len(bound(pods_of(api, name))) == len(pods_of(api, name)) == size
            assert api.store.get(gang_place(name))["status"]["attempt"] == 1


def all_placed(api):
    return all(condition(api, name, "Placed") == ("True", "Bound") for name in GANGS)
