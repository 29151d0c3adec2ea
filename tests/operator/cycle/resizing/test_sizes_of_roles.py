"""Elastic gangs of several roles: the size of one role changes, and the members of the others keep their nodes."""

import asyncio

import pytest

from builders.served import node
from builders.volumes import claim_templates
from fake_cluster.api import DELETE, PATCH, POST
from fake_cluster.elastic import (
    FIVE,
    HOURS,
    ask_for,
    end_grace,
    free_the_room,
    grow_only_once_open,
    launched_beside_a_blocker,
    leave_while_it_grows,
    note_of,
    rigid,
    run,
    until_attempt,
    with_launcher,
)
from fake_cluster.jumping import until
from fake_cluster.rig import (
    api_with,
    bound,
    condition,
    is_placed,
    operator_over,
    pods_of,
    running_operator,
    set_phase,
    set_phases,
    status_of,
)
from fake_cluster.storage import CLASS, add_class, storage_of
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

LAUNCHED = {"role": "launcher", "node": "n5", "count": 1}


def nodes_of(api, name):
    """The nodes of the members of a role, in the status."""
    return [one["node"] for one in status_of(api)["members"] if one["role"] == name for _ in range(one["count"])]


@pytest.mark.parametrize("is_first", [True, False], ids=["launcher first", "launcher last"])
@pytest.mark.parametrize("work", [HOURS, None], ids=["known end", "unknown end"])
async def test_workers_grow_and_the_launcher_keeps_its_node(work, is_first):
    async with operator_over(*FIVE) as (api, parts):
        await launched_beside_a_blocker(api, work=work, is_first=is_first)
        await asyncio.sleep(3600)

        free_the_room(api)
        await until_attempt(api, 2)

        status = status_of(api)
        assert (status["size"], status["sizeAndRange"], "next" in status) == (5, "5 (2–5)", False)
        assert status["members"].index(LAUNCHED) == (0 if is_first else 4)
        assert nodes_of(api, "workers") == ["n1", "n2", "n3", "n4"]
        assert sorted(bound(pods_of(api, "g"))) == ["n1", "n2", "n3", "n4", "n5"]
        assert note_of(api, "GangChangesSize").startswith("Grows from 3 to 5 members: ")
        assert parts.state.ledger.assumed == 0


async def test_launcher_does_no_work_so_that_its_gang_ends_as_its_workers_do():
    async with operator_over(*FIVE) as (api, _):
        await launched_beside_a_blocker(api)
        await asyncio.sleep(3600)

        free_the_room(api)
        await until_attempt(api, 2)

        assert float(status_of(api)["workDone"]) == pytest.approx(2 / 400, rel=0.05)


async def test_gang_with_a_launcher_gives_workers_to_others():
    async with operator_over(*FIVE) as (api, _):
        await run(api, with_launcher())
        await asyncio.sleep(7200)

        api.store.create("gangjobs", rigid("short", size=1, takes="10m"))
        await until_attempt(api, 2)

        assert (status_of(api)["size"], nodes_of(api, "launcher"), len(nodes_of(api, "workers"))) == (4, ["n5"], 3)
        note = note_of(api, "GangChangesSize")
        assert note.startswith(
            "Shrinks from 5 to 4 members: default/short waits, and starts on the nodes that become free; it ends "
        )
        await until(lambda: is_placed(api, "short"))


async def test_size_that_is_asked_for_is_that_of_launcher_and_workers():
    async with operator_over(*FIVE) as (api, _):
        await run(api, with_launcher(asked=3))
        assert (status_of(api)["size"], len(nodes_of(api, "workers"))) == (3, 2)

        ask_for(api, 4)
        await until_attempt(api, 2)

        assert (status_of(api)["size"], len(nodes_of(api, "workers"))) == (4, 3)
        assert note_of(api, "GangChangesSize").startswith("Grows from 3 to 4 members, as elastic.size asks: it ends ")


@pytest.mark.parametrize(
    "closed",
    [{"unschedulable": True}, {"taints": [{"key": "k", "effect": "NoSchedule"}]}],
    ids=["cordoned", "tainted"],
)
async def test_gang_keeps_its_size_while_the_node_of_its_launcher_takes_no_members(closed):
    async with operator_over(*FIVE) as (api, _):
        await launched_beside_a_blocker(api)

        await grow_only_once_open(api, Place("nodes", "", "n5"), closed, size=3, largest=5)


async def test_gang_whose_launcher_loses_its_node_in_a_change_is_planned_anew():
    async with operator_over(*FIVE, node("n6", cpu="500m", labels={"kind": "small"})) as (api, parts):
        await launched_beside_a_blocker(api)
        [home] = nodes_of(api, "launcher")
        api.lingers = True
        free_the_room(api)
        await until(lambda: "next" in status_of(api))
        following = status_of(api)["next"]
        assert (following["size"], following["members"][0]) == (5, {**LAUNCHED, "node": home})
        assert following["why"].startswith("grows from 3 to 5 members: there is room for 2 more; it ends ")
        assert status_of(api)["sizeAndRange"] == "3→5 (2–5)"

        api.store.remove(Place("nodes", "", home))
        end_grace(api)
        await until_attempt(api, 2)

        assert [*nodes_of(api, "launcher"), home] in (["n5", "n6"], ["n6", "n5"])
        assert parts.metric("lockstep_size_changes_dropped_total") == 1


async def test_launcher_that_succeeds_as_the_change_begins_ends_the_gang_whose_success_it_is():
    async with operator_over(*FIVE) as (api, _):
        await launched_beside_a_blocker(api, successPolicy={"role": "launcher"})
        [launcher] = [pod for pod in pods_of(api, "g") if pod["spec"]["nodeName"] == "n5"]

        def end_first(request):
            if request[:2] == (DELETE, "pods") and launcher["metadata"]["uid"] not in ended:
                ended.add(launcher["metadata"]["uid"])
                set_phase(api, launcher, "Succeeded")

        ended = set()
        api.fault = end_first
        free_the_room(api)
        await until(lambda: condition(api, "g", "Complete") == ("True", "Succeeded"))

        assert status_of(api)["attempt"] == 1
        assert "next" not in status_of(api)


async def test_room_of_the_launcher_is_not_free_for_a_worker():
    """Five workers may be there. Without the launcher its node would have room for the fifth."""
    small = node("n5", cpu="1500m", labels={"kind": "small"})
    async with operator_over(*FIVE[:4], small) as (api, _):
        await launched_beside_a_blocker(api, cpu="1", most=5)

        free_the_room(api)
        await until_attempt(api, 2)

        assert (nodes_of(api, "launcher"), nodes_of(api, "workers")) == (["n5"], ["n1", "n2", "n3", "n4"])


async def test_workers_join_the_launcher_on_a_node_with_room_for_both():
    async with operator_over(*FIVE[:2], node("n5", cpu="3", labels={"kind": "small"})) as (api, _):
        await run(api, with_launcher(cpu="1", asked=2))

        ask_for(api, None)
        await until_attempt(api, 2)

        assert sorted(nodes_of(api, "workers")) == ["n1", "n2", "n5", "n5"]
        assert nodes_of(api, "launcher") == ["n5"]


@pytest.mark.parametrize(("is_first", "want"), [(True, 5), (False, 3)], ids=["before the workers", "behind them"])
async def test_launcher_with_a_volume_keeps_it_or_the_gang_its_size(is_first, want):
    async with api_with(*FIVE) as api, storage_of(api):
        add_class(api)
        claims = {"volumeClaimTemplates": claim_templates(CLASS)}
        manifest = with_launcher(is_first=is_first)
        roles = [{**one, **(claims if one["name"] == "launcher" else {})} for one in manifest["spec"]["roles"]]
        async with running_operator(api):
            await run(api, rigid("blocker", size=2, takes="1000h"), "blocker")
            await run(api, {**manifest, "spec": {**manifest["spec"], "roles": roles}})

            free_the_room(api)
            await asyncio.sleep(3600)

            rank = 0 if is_first else 2
            claimed = [one["metadata"]["name"] for one in api.store.objects("persistentvolumeclaims")]
            assert (status_of(api)["size"], nodes_of(api, "launcher"), claimed) == (want, ["n5"], [f"data-g-{rank}"])
            assert is_placed(api)


async def test_other_role_that_works_counts_in_the_run_time():
    async with operator_over(*FIVE) as (api, _):
        await launched_beside_a_blocker(api, load="Equal")
        await asyncio.sleep(3600)

        free_the_room(api)
        await until_attempt(api, 2)

        # An hour of three members that work, of 400 hours of one.
        assert float(status_of(api)["workDone"]) == pytest.approx(3 / 400, rel=0.05)
        assert status_of(api)["size"] == 5


@pytest.mark.search("kills during a change of size", one_in=4)
@pytest.mark.parametrize(
    ("kind", "number"),
    [
        *[((PATCH, "gangjobs/status"), number) for number in (1, 2, 3, 4)],
        *[((DELETE, "pods"), number) for number in (1, 3)],
        *[((POST, "pods"), number) for number in (1, 5)],
        *[((POST, "pods/binding"), number) for number in (1, 5)],
    ],
)
@pytest.mark.parametrize("work", [HOURS, None], ids=["known end", "unknown end"])
async def test_next_process_goes_on_with_workers_and_launcher_from_every_request(kind, number, work):
    async with api_with(*FIVE) as api:
        async with running_operator(api):
            await launched_beside_a_blocker(api, work=work)
        await leave_while_it_grows(api, kind, number)
        async with running_operator(api) as parts:
            await until(lambda: status_of(api).get("size") == 5 and is_placed(api))
            set_phases(api, "g", "Running")
            await until(lambda: status_of(api).get("startedAt"))
            assert sorted(bound(pods_of(api, "g"))) == ["n1", "n2", "n3", "n4", "n5"]
            assert LAUNCHED in status_of(api)["members"]
            assert "next" not in status_of(api)
            assert parts.state.ledger.assumed == 0
