"""A proxy answers 404 with its own page to one kind of request for a while: in the end all is as without the proxy."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import bid, gang, node
from builders.volumes import claim_templates
from fake_cluster import dealt, elastic_jobs, giving_way, kueue, pod_gangs, sweeps
from fake_cluster.bound_in_part import operator
from fake_cluster.jumping import until
from fake_cluster.owners import create_owner, is_suspended
from fake_cluster.pages import PAGES, Proxy
from fake_cluster.rig import (
    DEFAULT,
    api_with,
    bound,
    end,
    gang_place,
    is_placed,
    operator_over,
    pod_place,
    pods_of,
    running_operator,
    status_of,
)
from fake_cluster.storage import CLASS, add_class, storage_of
from fake_cluster.store import Place
from lockstep.facts.gang.source import Source
from lockstep.report.nodebids.bids import keep_bid_conditions_written

pytestmark = pytest.mark.asyncio

# After this time in seconds, each pause of the operator is over.
PATIENCE = 4000
# In a hundred seconds. The operator repeats some requests each second.
MOST_REQUESTS = 120
KINDS = {
    "gang_that_ends_and_is_deleted": (
        "DELETE gangjobs",
        "DELETE pods",
        "GET gangjobs",
        "PATCH gangjobs/status",
        "POST events",
        "POST pods",
        "POST pods/binding",
        "POST services",
    ),
    "gang_with_volumes": (
        "GET persistentvolumeclaims",
        "PATCH gangjobs/status",
        "PATCH persistentvolumeclaims",
        "POST events",
        "POST persistentvolumeclaims",
        "POST pods",
        "POST pods/binding",
        "POST services",
    ),
    "gang_of_pods": ("DRY RUN pods/binding", "PATCH gangs/status", "POST events", "POST pods/binding"),
    "pods_that_are_evicted": ("POST events", "POST pods/eviction", "POST selfsubjectaccessreviews"),
    "sweep": (
        "DELETE gangjobs",
        "DELETE pods",
        "GET configmaps",
        "GET gangjobs",
        "GET gangsweeps",
        "PATCH gangjobs/status",
        "PATCH gangsweeps/status",
        "POST events",
        "POST gangjobs",
        "POST pods",
        "POST pods/binding",
        "POST services",
    ),
    "job_that_gets_a_size_and_grows": (
        "DRY RUN pods",
        "DRY RUN pods/binding",
        "GET jobs",
        "GET pods",
        "PATCH gangs/status",
        "PATCH jobs",
        "POST events",
        "POST gangs",
        "POST pods/binding",
        "POST selfsubjectaccessreviews",
    ),
    "job_that_gives_way": (
        "DELETE pods",
        "DRY RUN jobs",
        "DRY RUN pods",
        "DRY RUN pods/binding",
        "GET gangjobs",
        "GET jobs",
        "PATCH gangs/status",
        "PATCH jobs",
        "POST events",
        "POST pods/binding",
        "POST services",
    ),
    "pod_group_of_kubernetes": (
        "DRY RUN pods/binding",
        "GET jaxjobs",
        "GET jobs",
        "GET jobsets",
        "GET mpijobs",
        "GET paddlejobs",
        "GET podgroups",
        "GET pytorchjobs",
        "GET rayclusters",
        "GET tfjobs",
        "GET trainjobs",
        "GET xgboostjobs",
        "PATCH gangs/status",
        "PATCH podgroups/status",
        "POST events",
        "POST gangs",
        "POST pods/binding",
        "POST selfsubjectaccessreviews",
    ),
    "gang_in_a_queue": (
        "DELETE workloads",
        "PATCH gangjobs/status",
        "POST events",
        "POST pods",
        "POST pods/binding",
        "POST services",
        "POST workloads",
    ),
    "workload_of_kueue": (
        "DRY RUN pods",
        "DRY RUN pods/binding",
        "GET resourceflavors",
        "GET workloads",
        "PATCH gangs/status",
        "PATCH workloads/status",
        "POST gangs",
        "POST pods/binding",
    ),
    "gang_with_hosts_and_pieces": (
        "DELETE pods",
        "GET configmaps",
        "GET pods",
        "GET services",
        "PATCH gangjobs/status",
        "POST configmaps",
        "POST events",
        "POST pods",
        "POST pods/binding",
        "POST services",
        "PUT configmaps",
    ),
    "bid_that_does_not_count": ("PATCH nodebids/status",),
}
"""The requests of each story, by the name of its function. A proxy answers one kind of them after the other."""
# After a failure, the urgent gang waits, and the Job takes its nodes back. It does not give way again in the story.
OF_URGENT_GANG = ("PATCH gangjobs/status", "POST pods")
STORIES = {}


def story(run):
    """Make a test of this story: it begins without a proxy, and ends as expected."""
    STORIES[run.__name__] = run
    return run


@story
async def gang_that_ends_and_is_deleted(proxy):
    async with operator_over() as (api, _), sweeps.ending(api):
        api.fault = proxy
        api.store.create("gangjobs", gang("g", size=3, spec={"ttlSecondsAfterFinished": 5}))
        await until(lambda: api.store.get(gang_place("g")) is None, seconds=PATIENCE)
        await until(lambda: not pods_of(api, "g"), seconds=PATIENCE)


@story
async def gang_with_volumes(proxy):
    spec = {"volumeClaimTemplates": claim_templates(CLASS)}
    async with api_with(*(node(name, cpu="1") for name in ("n1", "n2"))) as api, storage_of(api):
        add_class(api, provisioner="disk.example.com")
        async with running_operator(api):
            api.fault = proxy
            api.store.create("gangjobs", gang("g", spec=spec))
            await until(lambda: is_placed(api), seconds=PATIENCE)
            assert sorted(bound(pods_of(api, "g"))) == ["n1", "n2"]


@story
async def gang_of_pods(proxy):
    async with operator_over() as (api, _):
        api.fault = proxy
        pod_gangs.create(api, "a", "b")
        await until(lambda: pod_gangs.is_placed(api), seconds=PATIENCE)
        assert len(pod_gangs.bound(api)) == 2


@story
async def pods_that_are_evicted(proxy):
    nodes = [node(f"n{number}", cpu="2") for number in (1, 2, 3)]
    bids = [bid("n1", onReturn="Evict", gracePeriodSeconds=0), bid("n2"), bid("n3", dutyCycle="1")]
    async with api_with(*nodes, bids=bids) as api, running_operator(api):
        pod_gangs.create(api, "a", "b", cpu="2", undo="Evict")
        await until(lambda: pod_gangs.is_placed(api))
        api.fault = proxy
        api.store.change(Place("nodebids", "", "n1"), spec={"ownerPresent": True})
        await until(lambda: not api.store.objects("pods"), seconds=PATIENCE)


@story
async def sweep(proxy):
    async with operator_over(sweeps=True) as (api, _), sweeps.ending(api):
        api.fault = proxy
        api.store.create("configmaps", sweeps.parameters("X\n1\n2\n3\n"))
        api.store.create("gangsweeps", sweeps.sweep(runs=None, parametersFrom={"configMap": "p"}))
        await until(lambda: sweeps.status(api).get("state") == "Complete", seconds=PATIENCE)
        assert (sweeps.counts(api), sweeps.made(api)) == ((3, 0), [0, 1, 2])
        await until(lambda: sweeps.run_names(api) == [], seconds=PATIENCE)


@story
async def job_that_gets_a_size_and_grows(proxy):
    job = elastic_jobs
    async with api_with(*job.SMALL) as api, running_operator(api, sources=job.SOURCES), job.indexed(api):
        api.fault = proxy
        job.create_job(api)
        await until(lambda: job.has_size(api, 4), seconds=PATIENCE)
        api.store.add("nodes", job.THIRD)
        await until(lambda: job.has_size(api, 6), seconds=PATIENCE)


@story
async def job_that_gives_way(proxy):
    async with (
        operator_over(*giving_way.ONE_NODE, sources=frozenset(Source)) as (api, _),
        giving_way.running_job(api),
    ):
        api.fault = proxy
        api.store.create("gangjobs", giving_way.urgent_gang())
        await until(lambda: is_placed(api, "hot"), seconds=PATIENCE)
        await until(lambda: not is_suspended(api, giving_way.HEAT), seconds=PATIENCE)
        api.store.remove(gang_place("hot"))
        await until(lambda: giving_way.is_job_placed(api), seconds=PATIENCE)


@story
async def pod_group_of_kubernetes(proxy):
    async with api_with() as api, operator(api):
        api.fault = proxy
        create_owner(api, "podgroups", "heat", spec={"schedulingPolicy": {"gang": {"minCount": 2}}})
        for number in (0, 1):
            spec = {"schedulerName": "lockstep", "schedulingGroup": {"podGroupName": "heat"}}
            api.store.create("pods", giving_way.pod(f"heat-{number}", cpu="4", spec=spec))
        group = Place("podgroups", DEFAULT, "heat")
        await until(lambda: api.store.get(group).get("status", {}).get("conditions"), seconds=PATIENCE)
        await until(lambda: len(pod_gangs.bound(api)) == 2, seconds=PATIENCE)


@story
async def gang_in_a_queue(proxy):
    async with api_with(*kueue.NODES) as api:
        api.store.create("resourceflavors", {"metadata": {"name": "plain"}, "spec": {}})
        async with running_operator(api, sources=kueue.WORKLOADS):
            api.fault = proxy
            api.store.create("gangjobs", kueue.in_queue(gang("g", size=3)))
            await until(lambda: kueue.workload_of(api, "g"), seconds=PATIENCE)
            api.store.change(gang_place("g"), metadata={"labels": {}})
            await until(lambda: is_placed(api) and not kueue.workload_of(api, "g"), seconds=PATIENCE)


@story
async def workload_of_kueue(proxy):
    async with kueue.queued() as api, running_operator(api, sources=kueue.WORKLOADS), kueue.kueue(api):
        api.fault = proxy
        kueue.create_workload(api)
        kueue.give_quota(api)
        await until(lambda: has_bound_pods_of_workload(api), seconds=PATIENCE)


@story
async def gang_with_hosts_and_pieces(proxy):
    async with operator_over() as (api, _):
        api.fault = proxy
        api.store.create("gangjobs", dealt.dealt_gang(network={"rendezvous": "MPI"}))
        await until(lambda: is_placed(api), seconds=PATIENCE)
        first = pods_of(api, "g")
        api.store.remove(pod_place(first[0]["metadata"]["name"]))
        await until(lambda: status_of(api)["attempt"] > attempt_of(first) and is_placed(api), seconds=PATIENCE)
        assert len(bound(pods_of(api, "g"))) == 2


@story
async def bid_that_does_not_count(proxy):
    async with operator_over(bids=[bid("n1", capacity="0")]) as (api, parts), kept(parts):
        api.fault = proxy
        place = Place("nodebids", "", "n1")
        await until(lambda: api.store.get(place).get("status", {}).get("conditions"), seconds=PATIENCE)


def has_bound_pods_of_workload(api):
    """Whether all pods of the Workload have nodes. If the operator has given its quota back, it gets quota again."""
    if api.store.get(kueue.place_of("heat"))["status"]["admission"] is None:
        kueue.give_quota(api)
    return len(pod_gangs.bound(api)) == 3


def attempt_of(pods):
    """The attempt to which these members belong."""
    return int(pods[0]["metadata"]["labels"]["lockstep.dev/attempt"])


@asynccontextmanager
async def kept(parts):
    """Write conditions of bids."""
    task = asyncio.create_task(keep_bid_conditions_written(parts.client, parts.state, parts.services.now))
    try:
        yield
    finally:
        await end([task])


@pytest.mark.parametrize(
    ("name", "kind"), [pytest.param(name, kind, id=f"{name}, {kind}") for name in KINDS for kind in KINDS[name]]
)
async def test_pages_in_place_of_some_answers_are_no_word_of_the_api_server(name, kind):
    proxy = Proxy(PAGES["page in HTML"], tuple(kind.rsplit(" ", 1)))
    await STORIES[name](proxy)

    assert 1 <= proxy.answered <= MOST_REQUESTS


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", KINDS)
async def test_pages_in_place_of_all_answers_are_no_word_of_the_api_server(name, page):
    proxy = Proxy(PAGES[page])
    await STORIES[name](proxy)

    assert 1 <= proxy.answered <= MOST_REQUESTS


@pytest.mark.parametrize("name", KINDS)
async def test_requests_of_a_story_are_listed(name):
    asked = set()
    await STORIES[name](lambda request: asked.add(f"{request.verb} {request.resource}"))

    listed = {*KINDS[name], *(OF_URGENT_GANG if name == "job_that_gives_way" else ())}
    assert asked == listed
