"""Gangs with several roles, from the plan to bound pods, and back."""

import pytest

from builders.served import container, gang, node, pod, role
from fake_cluster.jumping import until
from fake_cluster.rig import (
    api_with,
    bound,
    condition,
    event_reasons,
    is_placed,
    leave_before,
    operator_over,
    pods_of,
    running_operator,
    set_phases,
    status_of,
)

pytestmark = pytest.mark.asyncio

LAUNCHER = role("launcher", load="None", cpu="1")
WORKERS = role("workers", size=2, most=4, cpu="4")


def role_of(pod):
    return pod["metadata"]["labels"]["lockstep.dev/role"]


async def test_all_roles_are_placed_together():
    async with operator_over(gangs=[gang("g", roles=(LAUNCHER, WORKERS))]) as (api, _):
        await until(lambda: is_placed(api))

        members = status_of(api)["members"]
        assert members[0]["role"] == "launcher"
        assert sum(entry["count"] for entry in members if entry["role"] == "workers") == 3
        assert sorted(map(role_of, pods_of(api, "g"))) == ["launcher", "workers", "workers", "workers"]


async def test_gang_waits_whole_where_one_role_finds_no_room():
    big = role("workers", size=1, cpu="9")
    async with operator_over(gangs=[gang("g", roles=(LAUNCHER, big))]) as (api, _):
        await until(lambda: condition(api, "g", "Placed") is not None)

        assert condition(api, "g", "Placed")[0] == "False"
        assert not pods_of(api, "g")


async def test_roles_share_a_node_that_has_room_for_both():
    workers = role("workers", size=1, cpu="7")
    async with operator_over(node("n1"), gangs=[gang("g", roles=(LAUNCHER, workers))]) as (api, _):
        await until(lambda: is_placed(api))

        assert bound(pods_of(api, "g")) == ["n1", "n1"]


@pytest.mark.parametrize("request_kind", [("POST", "pods"), ("POST", "pods/binding")], ids=["create", "bind"])
async def test_next_process_goes_on_with_all_roles(request_kind):
    async with api_with(gangs=[gang("g", roles=(LAUNCHER, WORKERS))]) as api:
        await leave_before(api, request_kind)
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert len(bound(pods_of(api, "g"))) == 4


async def test_gang_of_roles_succeeds_when_all_of_its_members_have():
    async with operator_over(gangs=[gang("g", roles=(LAUNCHER, WORKERS))]) as (api, _):
        await until(lambda: is_placed(api))
        set_phases(api, "g", "Succeeded")
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))


async def test_what_admission_makes_of_one_role_is_planned_with():
    injected = container("proxy", requests={"cpu": "3"})

    def admit(manifest):
        if role_of(manifest) == "workers":
            manifest["spec"]["containers"].append(injected)
        return manifest

    async with operator_over(gangs=[gang("g", roles=(LAUNCHER, WORKERS))]) as (api, _):
        api.admit = admit
        await until(lambda: is_placed(api))

        assert len(pods_of(api, "g")) == 3
        accepted = next(one for one in status_of(api)["conditions"] if one["type"] == "Accepted")
        assert (
            accepted["message"]
            == "Admission changes the members, and Lockstep plans them as changed: role workers: cpu 7 instead of 4."
        )


async def test_reservation_that_no_longer_fits_one_role_is_undone():
    async with api_with(gangs=[gang("g", roles=(LAUNCHER, WORKERS))]) as api:
        await leave_before(api, ("POST", "pods"))
        api.store.create("pods", pod("thief", node="n1", cpu="4"))
        async with running_operator(api):
            await until(lambda: "BindInterrupted" in event_reasons(api))
            await until(lambda: is_placed(api))

        assert len(pods_of(api, "g")) == 3


async def test_status_that_names_a_role_that_the_gang_has_not_holds_nothing():
    status = {
        "attempt": 1,
        "reservedAt": "2027-01-15T07:00:00Z",
        "members": [{"role": "drivers", "node": "n1", "count": 1}, {"role": "workers", "node": "n1", "count": 2}],
    }
    async with operator_over(gangs=[gang("g", roles=(LAUNCHER, WORKERS), status=status)]) as (api, _):
        await until(lambda: is_placed(api))

        assert status_of(api)["attempt"] == 2
