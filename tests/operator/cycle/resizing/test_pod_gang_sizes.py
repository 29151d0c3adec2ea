"""Indexed Jobs whose author lets them change their size get more pods, or fewer, while others run."""

import asyncio

import pytest

from builders.served import gang, node
from fake_cluster.api import DRY_RUN, REFUSED, Refusal
from fake_cluster.elastic import elastic
from fake_cluster.elastic_jobs import (
    HEAT,
    LONG,
    SMALL,
    SOURCES,
    THIRD,
    create_job,
    fail,
    grown,
    has_size,
    indexed,
    numbers,
    placed,
    running_job,
    said,
    status,
    uids,
)
from fake_cluster.giving_way import create_classes, gang_condition, urgent_gang
from fake_cluster.jumping import until
from fake_cluster.pod_gangs import BINDING, bound
from fake_cluster.rig import DEFAULT, api_with, is_placed, running_operator, set_phases, status_of
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio


def of_jobs(it):
    """Whether a request changes a Job."""
    return (it.verb, it.resource) == ("PATCH", "jobs")


def often(api):
    """The Job with four pods, which may change its size each ten seconds."""
    return running_job(api, size=4, annotations={"lockstep.dev/min-interval": "10s"})


def refuse_the_last(it):
    """Refuse to bind the last pod, which its dry run has allowed."""
    return REFUSED if (it.verb, it.resource, it.name[:7]) == ("POST", BINDING, "heat-5-") else None


async def test_job_grows_into_idle_nodes_and_its_first_pods_run_on():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        before = placed(api)
        api.store.add("nodes", THIRD)
        await until(lambda: has_size(api, 6))

        assert placed(api) == {**before, 4: "n3", 5: "n3"}
        assert (status(api)["size"], status(api)["firstSize"]) == (6, 4)
        await until(lambda: {kind for kind, _ in said(api, "GangChangesSize")} == {"Gang", "Job"})
        assert "Grows from 4 to 6 members: nodes are idle" in said(api, "GangChangesSize")[0][1]


async def test_job_gives_back_what_it_grew_into_and_the_highest_indexes_leave():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), grown(api, THIRD):
        before = placed(api)
        api.store.create("gangjobs", gang("waits", size=2, cpu="1"))
        await until(lambda: is_placed(api, "waits") and has_size(api, 4), seconds=1200)

        assert placed(api) == {index: before[index] for index in range(4)}
        assert (status(api)["size"], status(api)["firstSize"]) == (4, 4)
        await until(lambda: any("Shrinks from 6 to 4 members" in note for _, note in said(api, "GangChangesSize")))


async def test_job_gives_back_what_it_grew_into_after_a_pod_was_replaced():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), grown(api, THIRD):
        before = uids(api)
        fail(api, index=5)
        await until(lambda: has_size(api, 6) and uids(api) != before)
        assert status(api)["firstSize"] == 4
        api.store.create("gangjobs", gang("waits", size=2, cpu="1"))

        await until(lambda: is_placed(api, "waits") and has_size(api, 4), seconds=1200)


async def test_replaced_pod_does_not_shorten_the_wait_after_a_growth_that_failed():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        api.fault = refuse_the_last
        api.store.add("nodes", THIRD)
        await until(lambda: said(api, "SizeChangeDropped") and has_size(api, 4))
        before = uids(api)
        fail(api, index=3)
        await until(lambda: has_size(api, 4) and uids(api) != before)

        assert status(api)["failedJoins"] == 1


async def test_job_with_work_grows_when_it_ends_sooner_by_that():
    async with (
        api_with(*SMALL) as api,
        running_operator(api, sources=SOURCES),
        running_job(api, size=4, annotations=LONG),
    ):
        before = status(api)["expectedFinish"]
        api.store.add("nodes", THIRD)
        await until(lambda: has_size(api, 6))

        assert status(api)["expectedFinish"] < before


async def test_job_with_work_shrinks_so_that_another_gang_ends_sooner():
    async with (
        api_with(*SMALL) as api,
        running_operator(api, sources=SOURCES),
        running_job(api, size=4, annotations=LONG),
    ):
        api.store.create("gangjobs", gang("waits", size=1, cpu="1", spec={"work": {"serialTime": "2h"}}))
        await until(lambda: is_placed(api, "waits"), seconds=3600)
        await until(lambda: has_size(api, 3))

        assert {*placed(api)} == {0, 1, 2}


@pytest.mark.parametrize(
    "annotations",
    [
        pytest.param({"lockstep.dev/elastic": None}, id="without the annotation"),
        pytest.param({"lockstep.dev/sized": None}, id="not sized by the operator"),
        pytest.param({"lockstep.dev/sized-uid": "uid-of-another"}, id="a copy of one that was sized"),
        pytest.param({"lockstep.dev/size": "4"}, id="one size only"),
        pytest.param({"lockstep.dev/size": "6-8"}, id="a range that leaves its size out"),
    ],
)
async def test_job_keeps_its_size(annotations):
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        api.store.annotate(HEAT, annotations)
        writes = len([it for it in api.writes if of_jobs(it)])
        api.store.add("nodes", THIRD)
        await asyncio.sleep(60)

        assert len(placed(api)) == 4
        assert len([it for it in api.writes if of_jobs(it)]) == writes


async def test_author_who_changes_the_number_of_pods_has_the_last_word():
    async with api_with(*SMALL, THIRD) as api, running_operator(api, sources=SOURCES), indexed(api):
        create_job(api)
        await until(lambda: has_size(api, 6))
        api.store.change(HEAT, spec={"parallelism": 5, "completions": 5})
        await asyncio.sleep(60)

        assert numbers(api) == (5, 5, "6")
        assert len(placed(api)) == 5


async def test_growth_goes_back_if_a_binding_is_refused_for_long():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), often(api):
        before = placed(api)
        api.fault = refuse_the_last
        api.store.add("nodes", THIRD)
        await until(lambda: said(api, "SizeChangeDropped"))
        await until(lambda: has_size(api, 4))

        assert placed(api) == before
        assert status(api)["failedJoins"] == 1
        assert "its owner has as many pods as before" in said(api, "SizeChangeDropped")[0][1]
        api.fault = lambda _: None
        await until(lambda: has_size(api, 6), seconds=1300)


async def test_growth_goes_back_if_the_pods_do_not_come():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES) as parts:
        async with running_job(api, size=4):
            before = placed(api)
        api.store.add("nodes", THIRD)
        await until(lambda: numbers(api) == (6, 6, "6"))
        await until(lambda: numbers(api) == (4, 4, "4"))
        await until(lambda: has_size(api, 4))

        assert placed(api) == before
        assert parts.state.reservations == {}


async def test_shrink_that_the_api_server_refuses_ends_at_once():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), grown(api, THIRD):
        before, earlier = placed(api), sum(map(of_jobs, api.requests))
        api.fault = lambda it: Refusal(code=403, message="frozen") if of_jobs(it) else None
        api.store.create("gangjobs", gang("waits", size=2, cpu="1"))
        await until(lambda: said(api, "SizeChangeDropped"), seconds=1200)

        assert sum(map(of_jobs, api.requests)) == earlier + 1
        assert "next" not in status(api)
        assert "Job heat can't be changed to 4 pods: frozen" in said(api, "SizeChangeDropped")[0][1]
        assert (placed(api), numbers(api), status(api)["failedJoins"]) == (before, (6, 6, "6"), 1)
        api.fault = lambda _: None
        await until(lambda: is_placed(api, "waits") and has_size(api, 4), seconds=2400)


async def test_growth_that_the_api_server_refuses_changes_nothing():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), often(api):
        api.fault = lambda it: Refusal(code=422, message="frozen") if of_jobs(it) else None
        api.store.add("nodes", THIRD)
        await until(lambda: status(api).get("failedJoins"))

        assert has_size(api, 4)
        api.fault = lambda _: None
        await until(lambda: has_size(api, 6), seconds=1300)


async def test_job_grows_no_further_than_a_quota_allows():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        about = {"name": "small", "namespace": DEFAULT, "uid": "uid-of-small", "resourceVersion": "1"}
        amounts = {"hard": {"requests.cpu": "5"}, "used": {"requests.cpu": "4"}}
        api.store.create("resourcequotas", {"metadata": about, "spec": {"hard": amounts["hard"]}, "status": amounts})
        api.store.add("nodes", THIRD)
        await until(lambda: has_size(api, 5))


async def test_job_does_not_grow_into_the_quota_that_a_gang_is_about_to_take():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        api.store.create("gangjobs", elastic(least=5, most=7, mode="Members", work=None))
        api.store.add("nodes", node("n0", cpu="5"))
        await until(lambda: is_placed(api))
        set_phases(api, "g", "Running")
        await until(lambda: status_of(api).get("startedAt"))
        place, hard, most = Place("resourcequotas", DEFAULT, "small"), {"requests.cpu": "11"}, 0
        api.store.create(
            "resourcequotas", {"metadata": {"name": "small", "namespace": DEFAULT}, "spec": {"hard": hard}}
        )

        def count(more=0):
            used = {"requests.cpu": str(len(api.store.objects("pods")) + more)}
            api.store.change(place, status={"hard": hard, "used": used})

        count()
        # As admission does, count pods before they exist.
        api.fault = lambda it: count(1) if (it.verb, it.resource) == ("POST", "pods") else None
        await asyncio.sleep(1)
        api.store.add("nodes", node("n5", cpu="4"))
        for _ in range(120):
            await asyncio.sleep(1)
            count()
            set_phases(api, "g", "Running")
            most = max(most, len(api.store.objects("pods")))

        assert most == 11
        assert not status(api).get("failedJoins")


async def test_pod_that_fails_during_a_growth_is_replaced_after_it():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), often(api):
        api.fault = refuse_the_last
        api.store.add("nodes", THIRD)
        await until(lambda: len(bound(api)) == 5)
        fail(api, index=1)
        api.fault = lambda _: None
        await until(lambda: len(placed(api)) in (4, 6) and "next" not in status(api))

        await until(lambda: has_size(api, 6), seconds=1300)


async def test_job_that_ends_during_a_growth_gets_no_other_pods():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        api.store.add("nodes", THIRD)
        await until(lambda: "next" in status(api))
        api.store.remove(HEAT)
        await until(lambda: not bound(api))
        await until(lambda: "next" not in status(api) and "reservedAt" not in status(api))


async def test_job_shrinks_for_an_urgent_gang_and_does_not_begin_anew():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        create_classes(api)
        before = placed(api)
        await asyncio.sleep(60)
        api.store.create("gangjobs", urgent_gang(size=2))
        await until(lambda: is_placed(api, "hot") and has_size(api, 2))

        assert placed(api) == {index: before[index] for index in range(2)}
        assert "Shrinks from 4 to 2 members for urgent gang default/hot" in said(api, "GangChangesSize")[0][1]
        assert gang_condition(api, "Preempted") == ("False", "ShrunkForGang")


async def test_job_that_takes_no_smaller_size_is_left_out_for_a_while():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        create_classes(api)
        await asyncio.sleep(60)
        api.fault = lambda it: (
            Refusal(code=422, message="frozen") if it.resource == "jobs" and it.verb != "GET" else None
        )
        api.store.create("gangjobs", urgent_gang(size=2))
        await asyncio.sleep(120)

        assert has_size(api, 4)
        assert len([it for it in api.requests if (it.verb, it.resource) == (DRY_RUN, "jobs")]) <= 2


async def test_author_who_changes_the_number_in_the_middle_of_a_growth_ends_it_at_once():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), running_job(api, size=4):
        api.store.add("nodes", THIRD)
        await until(lambda: numbers(api) == (6, 6, "6"))
        assert status(api)["sizeAndRange"] == "4→6"
        api.store.change(HEAT, spec={"parallelism": 3, "completions": 3})
        await until(lambda: "next" not in status(api), seconds=10)

        assert numbers(api) == (3, 3, "6")
        await until(lambda: {*placed(api)} == {0, 1, 2})


async def test_size_that_another_controller_takes_back_after_a_growth_is_left_to_it():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES), often(api):
        api.store.add("nodes", THIRD)
        await until(lambda: has_size(api, 6))
        earlier = sum(map(of_jobs, api.requests))
        api.store.change(HEAT, spec={"parallelism": 4, "completions": 4})
        await until(lambda: {*placed(api)} == {0, 1, 2, 3})
        await asyncio.sleep(3600)

        assert numbers(api) == (4, 4, "6")
        assert sum(map(of_jobs, api.requests)) == earlier


async def test_room_of_pods_that_have_not_come_yet_is_kept():
    async with api_with(*SMALL) as api, running_operator(api, sources=SOURCES):
        async with running_job(api, size=4):
            pass
        api.store.add("nodes", THIRD)
        await until(lambda: numbers(api) == (6, 6, "6"))
        api.store.create("gangjobs", gang("other", size=2, cpu="1"))
        await asyncio.sleep(30)
        assert not is_placed(api, "other")
        async with indexed(api):
            await until(lambda: has_size(api, 6))
