"""Many gangs that come at once: what is begun is finished first, so a process that dies leaves little in halves."""

from itertools import accumulate

import pytest

from builders.served import gang, node
from fake_cluster.jumping import until
from fake_cluster.rig import is_placed, operator_over

pytestmark = pytest.mark.asyncio

GANGS, SIZE = 12, 8
MOST_UNBOUND = 4 * SIZE  # of 96; with eight requests at once, members of several gangs are created side by side
STEPS = {("POST", "pods"): 1, ("POST", "pods/binding"): -1}


async def test_pods_that_were_created_are_bound_before_many_others_are_created():
    names, nodes = [f"g{number}" for number in range(GANGS)], [node(f"n{number}", cpu="8") for number in range(GANGS)]
    async with operator_over(*nodes, gangs=[gang(name, size=SIZE) for name in names]) as (api, _):
        await until(lambda: all(is_placed(api, name) for name in names))

        unbound = list(accumulate(STEPS.get((one.verb, one.resource), 0) for one in api.writes))

    assert max(unbound) <= MOST_UNBOUND
