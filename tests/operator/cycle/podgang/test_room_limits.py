"""Room for later pods has limits: in time, in pods, and in what other gangs see of it."""

import asyncio

import pytest

from builders.served import gang, metadata, node, pod, priority_class
from fake_cluster.giving_way import create_classes, urgent_gang
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import add_pods, bound, create, is_placed, message
from fake_cluster.rig import DEFAULT, messages_of, operator_over, status_of
from fake_cluster.rig import is_placed as is_job_placed
from fake_cluster.store import Place
from lockstep.belief.gangs.age import ROOM_KEPT_SECONDS

pytestmark = pytest.mark.asyncio

# Room for four pods of a CPU.
NODES = (node("n1", cpu="2"), node("n2", cpu="2"))


def later(pods, cpu="1"):
    """What the spec of a Gang says of pods that come later."""
    return [{"pods": pods, "resources": {"requests": {"cpu": cpu}}}]


def names(api):
    """The names of the pods on nodes."""
    return {it["metadata"]["name"] for it in bound(api)}


async def test_replacements_do_not_prolong_the_time_for_which_room_is_kept():
    async with operator_over(*NODES) as (api, _):
        create(api, "a", cpu="1", later=later(3))
        await until(lambda: is_placed(api))
        api.store.create("gangjobs", gang("cold", size=2))
        await asyncio.sleep(ROOM_KEPT_SECONDS - 60)
        add_pods(api, "b", cpu="1")
        await until(lambda: "b" in names(api))
        api.store.remove(Place("pods", DEFAULT, "a"))
        await asyncio.sleep(120)

        assert is_job_placed(api, "cold")


async def test_next_run_of_a_gang_has_room_of_its_own():
    async with operator_over(*NODES) as (api, _):
        create(api, "a", cpu="1", later=later(3))
        await until(lambda: is_placed(api))
        await asyncio.sleep(2 * ROOM_KEPT_SECONDS)
        api.store.remove(Place("pods", DEFAULT, "a"))
        await asyncio.sleep(10)
        add_pods(api, "b", cpu="1")
        await until(lambda: names(api) == {"b"})
        api.store.create("gangjobs", gang("cold", size=1))
        await asyncio.sleep(60)

        assert not is_job_placed(api, "cold")


async def test_more_pods_than_were_announced_have_no_place_before_others():
    async with operator_over(*NODES) as (api, _):
        create(api, "a", cpu="1", later=later(1))
        await until(lambda: is_placed(api))
        api.store.create("gangjobs", gang("cold", size=3))
        await asyncio.sleep(30)
        add_pods(api, *(f"b{number}" for number in range(6)), cpu="1")
        await until(lambda: len(names(api)) == 2)
        api.store.create("nodes", node("n3", cpu="1"))

        await until(lambda: is_job_placed(api, "cold"))


async def test_one_kind_of_later_pods_leaves_the_announced_place_to_the_next_kind():
    """Small pods that were not announced wait beside the large one: each kind has its turn."""
    async with operator_over(node("n1", cpu="4")) as (api, _):
        create(api, "a", cpu="1", later=later(1, cpu="3"))
        await until(lambda: is_placed(api))
        add_pods(api, "s1", "s2", cpu="5")
        add_pods(api, "large", cpu="3")

        await until(lambda: "large" in names(api))


async def test_room_makes_no_plan_when_nothing_changes():
    async with operator_over(*NODES) as (api, parts):
        create(api, "a", cpu="1", later=later(3))
        await until(lambda: is_placed(api))
        api.store.create("gangjobs", gang("cold", size=1))
        await asyncio.sleep(60)
        plans = parts.metric("lockstep_cycles_total", result="ok")
        await asyncio.sleep(200)

        # Statuses are written again at times, but no plan is due each second.
        assert parts.metric("lockstep_cycles_total", result="ok") - plans < 20


async def test_gang_behind_room_reads_whose_room_it_is_and_what_its_own_position_is():
    async with operator_over(*NODES) as (api, _):
        create(api, "a", cpu="1", later=later(3))
        await until(lambda: is_placed(api))
        api.store.create("gangjobs", gang("cold", size=1))
        says = "room for later pods of default/gang/heat, which is in front, holds 2 nodes for 10 min at most"
        await until(lambda: says in "".join(messages_of(api)))

        assert "later-pods" not in "".join(messages_of(api))


async def test_room_has_no_position_in_the_queue():
    async with operator_over(*NODES, node("n3", cpu="2")) as (api, _):
        api.store.create("gangjobs", gang("warm", size=2, spec={"work": {"serialTime": "1h"}}))
        await until(lambda: is_job_placed(api, "warm"))
        create(api, "a", cpu="1", later=later(3))
        await until(lambda: is_placed(api))
        api.store.create("gangjobs", gang("cold", size=2))
        await until(lambda: "plan" in status_of(api, "cold"))

        assert status_of(api, "cold")["plan"]["position"] == 1


@pytest.mark.parametrize(
    ("size", "want"),
    [
        pytest.param(
            {"min": 2, "max": 4}, "size.min and all later pods are 5 pods together, but at most 4 are allowed", id="max"
        ),
        pytest.param(
            {"min": 9_999},
            "size.min and all later pods are 10002 pods together, but at most 10000 are allowed",
            id="most",
        ),
    ],
)
async def test_more_later_pods_than_a_gang_may_have_are_refused(size, want):
    async with operator_over(*NODES) as (api, _):
        create(api, "a", cpu="1", later=later(3), size=size)
        await until(lambda: message(api, "Accepted"))

        assert want in message(api, "Accepted")


async def test_room_ends_with_its_gang():
    async with operator_over(*NODES) as (api, _):
        create(api, "a", cpu="1", later=later(3))
        await until(lambda: is_placed(api))
        api.store.create("gangjobs", gang("cold", size=1))
        await asyncio.sleep(30)
        assert not is_job_placed(api, "cold")
        api.store.remove(Place("gangs", DEFAULT, "heat"))

        await until(lambda: is_job_placed(api, "cold"))


async def test_class_of_later_pods_does_not_lift_the_room_above_the_pods_that_run():
    async with operator_over(*NODES) as (api, _):
        create_classes(api)
        create(api, "a", cpu="1", later=[{**later(3)[0], "priorityClassName": "urgent"}])
        await until(lambda: is_placed(api))
        api.store.create("gangjobs", urgent_gang())

        await until(lambda: is_job_placed(api, "hot"))


async def test_room_has_the_priority_of_the_least_urgent_later_pods():
    async with operator_over(*NODES) as (api, _):
        api.store.create("priorityclasses", priority_class("a-low", -10))
        api.store.create("priorityclasses", priority_class("z-lowest", -20))
        classes = [{**later(1)[0], "priorityClassName": name} for name in ("z-lowest", "a-low")]
        create(api, "a", cpu="1", later=[*classes, *later(1)])
        await until(lambda: is_placed(api))
        api.store.create("gangjobs", gang("cold", size=2, spec={"priorityClassName": "a-low"}))

        await until(lambda: is_job_placed(api, "cold"))


async def test_status_says_until_when_room_is_kept_and_nothing_of_room_that_a_younger_gang_lacks():
    async with operator_over(*NODES) as (api, _):
        create(api, "a", cpu="1", later=later(3))
        await until(
            lambda: (
                "It expects 3 more, and Lockstep keeps nodes free for them until 2027-01-15T08:10:0"
                in message(api, "Planned")
            )
        )
        api.store.remove(Place("gangs", DEFAULT, "heat"))
        await asyncio.sleep(10)
        create(api, cpu="1", least=1, later=later(3))

        await until(lambda: "It expects 3 more." in message(api, "Planned"))


def create_quota(api, *, hard, used):
    """Create a quota of CPUs."""
    amounts = {"hard": {"requests.cpu": hard}, "used": {"requests.cpu": used}}
    about = metadata("small", namespace=DEFAULT)
    api.store.create("resourcequotas", {"metadata": about, "spec": {"hard": amounts["hard"]}, "status": amounts})


async def test_first_pods_do_not_wait_for_later_ones_that_a_quota_forbids():
    async with operator_over(*NODES) as (api, _):
        create_quota(api, hard="8", used="1")
        create(api, "a", cpu="1", later=later(20))

        await until(lambda: is_placed(api))


async def test_first_pods_wait_for_room_for_later_ones_that_a_quota_allows():
    async with operator_over(*NODES) as (api, _):
        create_quota(api, hard="8", used="1")
        create(api, "a", cpu="1", later=later(6))
        await until(lambda: "pods-that-come-later-0" in message(api, "Planned"))

        assert names(api) == set()


async def test_no_gang_gives_way_to_later_pods_that_a_quota_forbids():
    async with operator_over(*NODES) as (api, _):
        create_classes(api)
        api.store.create("gangjobs", gang("cold", size=3))
        await until(lambda: is_job_placed(api, "cold"))
        create_quota(api, hard="8", used="6")
        create(api, later=[{**later(3)[0], "priorityClassName": "urgent"}], least=1)
        spec = {"schedulerName": "lockstep", "priorityClassName": "urgent", "priority": 100}
        api.store.create("pods", pod("a", cpu="1", spec=spec, labels={"lockstep.dev/member-of": "heat"}))
        await until(lambda: is_placed(api))
        await asyncio.sleep(60)

        assert is_job_placed(api, "cold")
        assert status_of(api, "cold")["attempt"] == 1


async def test_owner_of_eight_later_steps_that_all_differ_is_placed():
    steps = [entry for number in range(1, 9) for entry in later(4, cpu=f"{number}00m")]
    async with operator_over(*(node(f"n{number}", cpu="8") for number in range(4))) as (api, _):
        create(api, "a", cpu="1", later=steps)

        await until(lambda: is_placed(api))
