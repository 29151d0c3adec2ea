"""The condition of a PodGroup of Kubernetes' own follows its Gang, whatever becomes of the writes."""

import asyncio

import pytest

from builders.served import node, pod
from fake_cluster.api import NEVER_ARRIVED, Refusal
from fake_cluster.bound_in_part import operator, placed, refuses
from fake_cluster.jumping import until
from fake_cluster.owners import controlled, create_owner, is_suspended, reference
from fake_cluster.pod_gangs import bound
from fake_cluster.rig import DEFAULT, api_with
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source

pytestmark = pytest.mark.asyncio

STATUS = "podgroups/status"
GROUP, GANG = Place("podgroups", DEFAULT, "heat"), Place("gangs", DEFAULT, "schedulinggroup.heat")
FORBIDDEN = 'podgroups.scheduling.k8s.io "heat" is forbidden: User "lockstep" cannot patch resource "podgroups/status"'


def create_group(api, least, *, pods=None, owners=()):
    """Create a PodGroup, and pods of it."""
    create_owner(api, "podgroups", "heat", owners=owners, spec={"schedulingPolicy": {"gang": {"minCount": least}}})
    add_pods(api, *range(least if pods is None else pods))


def add_pods(api, *numbers):
    for number in numbers:
        api.store.create("pods", group_pod(f"heat-{number}"))


def group_pod(name):
    """Describe a pod that names the group."""
    return pod(name, cpu="4", spec={"schedulerName": "lockstep", "schedulingGroup": {"podGroupName": "heat"}})


def conditions(api):
    """The status and the message of each condition of the group."""
    found = (api.store.get(GROUP).get("status") or {}).get("conditions", [])
    return {one["type"]: (one["status"], one["message"]) for one in found}


def is_scheduled(api):
    """Whether the group says so: 'True', 'False', or '' for nothing."""
    return conditions(api).get("PodGroupInitiallyScheduled", ("", ""))[0]


def writes(api):
    """How many writes of the condition were sent."""
    return len([one for one in api.requests if (one.verb, one.resource) == ("PATCH", STATUS)])


def least_of(api):
    """What the Gang asks for."""
    return (api.store.get(GANG) or {}).get("spec", {}).get("size", {}).get("min")


def refusing(times, refusal):
    """So many writes of the condition are refused."""
    left = iter(range(times))
    is_write = lambda it: (it.verb, it.resource) == ("PATCH", STATUS)  # noqa: E731 - one line
    return lambda it: refusal if is_write(it) and next(left, None) is not None else None


async def test_group_says_why_it_waits_and_once_its_pods_have_nodes_it_stays_scheduled():
    async with api_with() as api, operator(api):
        create_group(api, 5)
        await until(lambda: is_scheduled(api) == "False")
        assert "It needs 5 members, and 4 fit" in conditions(api)["PodGroupInitiallyScheduled"][1]

        api.store.change(GROUP, spec={"schedulingPolicy": {"gang": {"minCount": 4}}})
        await until(lambda: is_scheduled(api) == "True")
        assert len(bound(api)) == 4

        for name in [one["metadata"]["name"] for one in bound(api)]:
            api.store.remove(Place("pods", DEFAULT, name))
        await asyncio.sleep(600)
        assert is_scheduled(api) == "True"


async def test_count_that_changes_while_pods_wait_changes_the_gang():
    async with api_with() as api, operator(api):
        create_group(api, 3, pods=2)
        await until(lambda: least_of(api) == 3)

        api.store.change(GROUP, spec={"schedulingPolicy": {"gang": {"minCount": 2}}})

        await until(lambda: placed(api))
        assert (least_of(api), len(bound(api))) == (2, 2)


async def test_group_says_nothing_before_its_pods_are_there():
    async with api_with() as api, operator(api):
        create_group(api, 3, pods=2)

        await asyncio.sleep(900)

        assert (writes(api), conditions(api)) == (0, {})


@pytest.mark.parametrize(
    ("refusal", "most"),
    [
        pytest.param(Refusal(code=422), 1, id="invalid"),
        pytest.param(Refusal(code=403, message=FORBIDDEN), 10, id="no right"),
        pytest.param(Refusal(code=409), 6, id="conflicts without end"),
    ],
)
async def test_condition_that_is_refused_costs_a_few_requests_and_no_placement(refusal, most):
    async with api_with() as api, operator(api):
        api.fault = refusing(1000, refusal)
        create_group(api, 2)
        await until(lambda: placed(api))

        await asyncio.sleep(3600)

        assert len(bound(api)) == 2
        assert 1 <= writes(api) <= most


@pytest.mark.parametrize("refusal", [Refusal(code=409), Refusal(code=503), NEVER_ARRIVED], ids=str)
async def test_condition_that_fails_for_a_while_is_written_then(refusal):
    async with api_with() as api, operator(api):
        api.fault = refusing(3, refusal)
        create_group(api, 2)

        await until(lambda: is_scheduled(api) == "True")


async def test_next_process_writes_what_the_last_one_has_not():
    async with api_with() as api:
        api.fault = refusing(1000, Refusal(code=422))
        async with operator(api):
            create_group(api, 2)
            await until(lambda: placed(api))
        assert is_scheduled(api) == ""
        api.fault = lambda _: None

        async with operator(api):
            await until(lambda: is_scheduled(api) == "True")


async def test_next_group_of_that_name_is_not_called_scheduled_because_the_last_one_was():
    async with api_with() as api, operator(api):
        create_group(api, 2)
        await until(lambda: is_scheduled(api) == "True")

        for name in ("heat-0", "heat-1"):
            api.store.remove(Place("pods", DEFAULT, name))
        api.store.remove(GROUP)
        create_group(api, 5, pods=0)
        api.store.change(GROUP, metadata={**api.store.get(GROUP)["metadata"], "uid": "uid-of-the-next"})
        add_pods(api, *range(2, 7))

        await until(lambda: is_scheduled(api) != "")
        assert is_scheduled(api) == "False"


async def test_conditions_of_others_stay():
    async with api_with() as api, operator(api):
        create_group(api, 5)
        await until(lambda: is_scheduled(api) == "False")
        [ours] = api.store.get(GROUP)["status"]["conditions"]
        other = {"type": "DisruptionTarget", "status": "True", "message": "theirs"}
        api.store.change(GROUP, status={"conditions": [ours, other]})

        api.store.change(GROUP, spec={"schedulingPolicy": {"gang": {"minCount": 4}}})

        await until(lambda: is_scheduled(api) == "True")
        assert conditions(api)["DisruptionTarget"] == ("True", "theirs")


async def test_pods_that_need_no_others_are_placed_kind_by_kind():
    async with api_with() as api, operator(api):
        create_owner(api, "podgroups", "heat", spec={"schedulingPolicy": {"basic": {}}})
        spec = {"schedulerName": "lockstep", "schedulingGroup": {"podGroupName": "heat"}}
        for name, cpu in (("large", "9"), ("small", "1"), ("other", "2")):
            api.store.create("pods", pod(name, cpu=cpu, spec=spec))

        await until(lambda: len(bound(api)) == 2)

        assert {one["metadata"]["name"] for one in bound(api)} == {"small", "other"}


@pytest.mark.parametrize("policy", [{"basic": {}}, {"gang": {"minCount": 2}}], ids=["basic", "gang"])
async def test_pods_that_come_later_go_to_the_domain_of_the_others(policy):
    nodes = [node(f"n{number}", labels={"rack": "ab"[number // 2]}) for number in range(4)]
    async with api_with(*nodes) as api, operator(api):
        within = {"schedulingConstraints": {"topology": [{"key": "rack"}]}}
        create_owner(api, "podgroups", "heat", spec={"schedulingPolicy": policy, **within})
        add_pods(api, 0, 1)
        await until(lambda: len(bound(api)) == 2 and placed(api))

        add_pods(api, *range(2, 7))
        await asyncio.sleep(300)

        assert len({one["spec"]["nodeName"] for one in bound(api)} & {"n0", "n1"}) in (0, 2)
        assert len(bound(api)) == 4


def create_of_job(api, annotations):
    """Create a Job, and the group that its controller makes for it."""
    place = create_owner(api, "jobs", "job", spec={"parallelism": 2})
    api.store.change(place, metadata={**api.store.get(place)["metadata"], "annotations": annotations})
    create_group(api, 2, owners=[reference("batch/v1", "Job", "job")])


async def test_annotations_of_the_job_count_for_its_group():
    async with api_with() as api, operator(api):
        create_of_job(api, {"lockstep.dev/serial-time": "1h"})

        await until(lambda: placed(api))

        assert api.store.get(GANG)["spec"]["work"] == {"serialTime": "1h"}


async def test_annotations_of_a_job_are_not_read_if_jobs_are_no_source():
    async with api_with() as api, operator(api, sources={Source.SCHEDULING_GROUP}):
        create_of_job(api, {"lockstep.dev/serial-time": "1h"})

        await until(lambda: placed(api))

        assert "work" not in api.store.get(GANG)["spec"]
        assert not [one for one in api.requests if (one.verb, one.resource) == ("GET", "jobs") and one.name]


async def test_group_that_was_bound_in_part_is_gone_on_with_by_the_next_process():
    async with api_with() as api:
        api.fault = lambda it: Refusal(code=503) if (it.verb, it.name) == ("POST", "heat-1") else None
        async with operator(api):
            create_group(api, 2)
            await until(lambda: len(bound(api)) == 1)
        assert is_scheduled(api) != "True"
        api.fault = lambda _: None

        async with operator(api):
            await until(lambda: is_scheduled(api) == "True")

        assert len(bound(api)) == 2


async def test_job_above_a_group_that_is_bound_in_part_is_suspended_and_placed_whole():
    async with api_with() as api, operator(api, sources={Source.SCHEDULING_GROUP}):
        api.fault = refuses("job-1")
        place = create_owner(api, "jobs", "job", spec={"parallelism": 2})
        create_group(api, 2, pods=0, owners=[reference("batch/v1", "Job", "job")])
        async with controlled(api, place, group_pod, 2) as made:
            await until(lambda: len(made) == 4)
            api.fault = lambda _: None
            await until(lambda: is_scheduled(api) == "True")

        assert sorted(one["metadata"]["name"] for one in bound(api)) == ["job-2", "job-3"]
        assert not is_suspended(api, place)
