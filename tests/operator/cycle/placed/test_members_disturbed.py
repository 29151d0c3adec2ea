"""Gangs whose members come and go, with gaps in their ranks or several troubles at once."""

import asyncio

import pytest

from fake_cluster.elastic import FIVE, run, with_launcher
from fake_cluster.joining import until_size
from fake_cluster.jumping import until
from fake_cluster.rig import condition, operator_over, pod_place, pods_of, set_phase

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
