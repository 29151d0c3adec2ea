"""Gangs under ResourceQuotas: none is tried that a quota refuses, and several share what is left."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import gang, node
from fake_cluster.api import Refusal
from fake_cluster.jumping import until
from fake_cluster.rig import condition, end, is_placed, operator_over, pods_of, set_phases, status_of
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

NODES = [node(f"n{number}") for number in range(12)]
SMALL = Place("resourcequotas", "default", "small")
WORK = {"work": {"serialTime": "10m"}}


@asynccontextmanager
async def under_quota(pods, *gangs):
    """Twelve nodes, and an API server that admits so many pods, which are counted at once; their ends a bit later."""
    async with operator_over(*NODES) as (api, parts):
        metadata = {"name": "small", "namespace": "default"}
        api.store.create("resourcequotas", {"metadata": metadata, "spec": {"hard": {"pods": str(pods)}}})
        count(api)
        api.fault = lambda request: refused(api, request)
        await parts.quiet()
        api.store.add("gangjobs", *gangs)
        task = asyncio.create_task(keep_counting(api))
        try:
            yield api, parts
        finally:
            await end([task])


def count(api, admitted=0):
    quota = api.store.get(SMALL)
    status = {"hard": quota["spec"]["hard"], "used": {"pods": str(len(live_pods(api)) + admitted)}}
    if quota.get("status") != status:
        api.store.change(SMALL, status=status)


async def keep_counting(api):
    while True:
        await asyncio.sleep(0.05)
        count(api)


def live_pods(api):
    return [it for it in api.store.objects("pods") if it.get("status", {}).get("phase") != "Succeeded"]


def refused(api, request):
    most = int(api.store.get(SMALL)["spec"]["hard"]["pods"])
    if (request.verb, request.resource) == ("POST", "pods"):
        if len(live_pods(api)) >= most:
            return Refusal(code=403, message="exceeded quota: small")
        count(api, admitted=1)
    return None


def planned(api, name="g"):
    [message] = [one["message"] for one in status_of(api, name)["conditions"] if one["type"] == "Planned"]
    return message


async def test_gang_gets_as_many_members_as_its_quota_allows_and_says_so():
    async with under_quota(5, gang("g", size=2, most=12, cpu="6", spec=WORK)) as (api, parts):
        await until(lambda: is_placed(api))

        assert (len(pods_of(api, "g")), status_of(api)["attempt"]) == (5, 1)
        assert planned(api).endswith("It would be fastest with 12 members, by its run times; quota small allows 5 now.")
        assert parts.metric("lockstep_attempts_undone_total", reason="QuotaExceeded") == 0


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        pytest.param({}, "It may have up to 12 members; quota small allows 5 now.", id="no run times"),
        pytest.param(
            {"work": {"serialTime": "10m", "overhead": {"perMember": "10s"}}},
            "It would be fastest with 8 members, by its run times; quota small allows 5 now.",
            id="overheads that grow",
        ),
    ],
)
async def test_what_the_quota_withholds_is_reported_as_far_as_it_is_known(spec, want):
    async with under_quota(5, gang("g", size=2, most=12, cpu="1", spec=spec)) as (api, _):
        await until(lambda: is_placed(api))

        assert len(pods_of(api, "g")) == 5
        assert planned(api).endswith(want)


async def test_quota_that_allows_the_fastest_size_is_not_reported():
    work = {"work": {"serialTime": "10m", "overhead": {"perMember": "40s"}}}
    async with under_quota(5, gang("g", size=2, most=12, cpu="1", spec=work)) as (api, _):
        await until(lambda: is_placed(api))

        assert len(pods_of(api, "g")) == 4
        assert "quota" not in planned(api)


async def test_gang_whose_size_no_quota_narrows_says_nothing_of_it():
    async with under_quota(11, gang("g", size=2, most=4, cpu="6", spec=WORK)) as (api, _):
        await until(lambda: is_placed(api))

        assert len(pods_of(api, "g")) == 4
        assert "quota" not in planned(api)


async def test_gang_that_no_quota_will_ever_allow_is_not_tried():
    async with under_quota(3, gang("g", size=4, cpu="6")) as (api, _):
        await until(lambda: condition(api, "g", "Planned") == ("False", "QuotaExceeded"))
        await asyncio.sleep(120)

        assert planned(api) == "It needs 4 members, which take 4 of pods; quota small allows 3."
        assert status_of(api)["attempt"] == 0
        assert pods_of(api, "g") == []


async def test_gang_waits_untried_until_the_quota_has_room_and_starts_then():
    first, second = gang("first", size=3, cpu="2"), gang("second", size=2, most=4, cpu="2", spec=WORK)
    async with under_quota(4, first) as (api, _):
        await until(lambda: is_placed(api, "first"))
        api.store.create("gangjobs", second)
        await until(lambda: condition(api, "second", "Planned") == ("False", "QuotaExceeded"))
        assert planned(api, "second").endswith("quota small allows 4, of which 1 are left.")
        await asyncio.sleep(60)
        assert status_of(api, "second")["attempt"] == 0

        set_phases(api, "first", "Succeeded")
        await until(lambda: is_placed(api, "second"))
        assert (len(pods_of(api, "second")), status_of(api, "second")["attempt"]) == (4, 1)


async def test_gang_starts_when_its_quota_is_raised():
    async with under_quota(1, gang("g", size=2)) as (api, _):
        await until(lambda: condition(api, "g", "Planned") == ("False", "QuotaExceeded"))
        api.store.change(SMALL, spec={"hard": {"pods": "2"}})

        await until(lambda: is_placed(api))


async def test_gangs_of_one_namespace_share_what_is_left_in_their_order():
    gangs = [gang(name, size=2, cpu="2") for name in "abcd"]
    async with under_quota(5, *gangs) as (api, parts):
        await until(lambda: all(condition(api, name, "Planned") == ("False", "QuotaExceeded") for name in "cd"))
        await until(lambda: is_placed(api, "a") and is_placed(api, "b"))
        await asyncio.sleep(30)

        assert [status_of(api, name).get("attempt") for name in "abcd"] == [1, 1, 0, 0]
        assert parts.metric("lockstep_attempts_undone_total", reason="QuotaExceeded") == 0


async def test_gang_that_waits_for_a_quota_keeps_no_node_from_others():
    async with under_quota(3, gang("first", size=3, cpu="2"), gang("second", size=2, cpu="7")) as (api, _):
        await until(lambda: condition(api, "second", "Planned") == ("False", "QuotaExceeded"))
        elsewhere = gang("third", size=11, cpu="6")
        elsewhere["metadata"]["namespace"] = "other"
        api.fault = lambda _: None
        api.store.create("gangjobs", elsewhere)

        await until(lambda: len([it for it in api.store.objects("pods", "other") if "nodeName" in it["spec"]]) == 11)


async def test_quota_without_room_for_the_volumes_is_reported_and_nothing_is_created():
    wish = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "3Gi"}}}
    volumes = {"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": wish}]}
    limits = {"hard": {"requests.storage": "10Gi"}, "used": {"requests.storage": "5Gi"}}
    quota = {"metadata": {"name": "small", "namespace": "default"}, "spec": {"hard": limits["hard"]}, "status": limits}
    async with operator_over(*NODES) as (api, parts):
        api.store.create("resourcequotas", quota)
        await parts.quiet()
        api.store.create("gangjobs", gang("g", size=2, most=12, spec=volumes))
        await until(lambda: condition(api, "g", "Planned") == ("False", "QuotaExceeded"))

        assert planned(api) == (
            "It needs 2 members, which take 6Gi of requests.storage; quota small allows 10Gi, of which 5Gi are left."
        )
        assert api.store.objects("persistentvolumeclaims") == []


async def test_age_stands_still_while_a_quota_could_never_admit_the_gang():
    async with under_quota(3, gang("large", size=4), gang("small", size=2)) as (api, _):
        await until(lambda: condition(api, "large", "Planned") == ("False", "QuotaExceeded"))

        assert status_of(api, "large")["waitedSeconds"] == 0


async def test_age_counts_while_a_quota_is_used_by_others():
    async with under_quota(3, gang("first", size=3), gang("second", size=2)) as (api, _):
        await until(lambda: condition(api, "second", "Planned") == ("False", "QuotaExceeded"))

        assert "waitedSeconds" not in status_of(api, "second")
