"""The operator's parts, put together in the test's process, against a fake API server."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from prometheus_client import CollectorRegistry

from builders.served import node
from fake_cluster.api import NEVER_ARRIVED, FakeApi
from fake_cluster.jumping import now, until
from fake_cluster.store import Place
from lockstep.act.requests.deletions import Deletions
from lockstep.act.requests.services import Services
from lockstep.act.requests.window import AttemptWindow
from lockstep.act.suspending.suspensions import Suspensions
from lockstep.api.client.client import KubeClient
from lockstep.api.client.rights import Rights
from lockstep.api.pool import ALL_NODES
from lockstep.belief.lost_nodes import LostNodes
from lockstep.belief.state import State
from lockstep.cycle.clockwork.wake_event import WakeEvent
from lockstep.cycle.cycle import Cycle
from lockstep.cycle.kueue.active_checks import ActiveChecks
from lockstep.cycle.planning.planning import PlanOptions
from lockstep.cycle.sweeps.following import SweepFollower
from lockstep.facts.gang.source import Source
from lockstep.process.start.rights import keep_rights_reviewed
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status.writer import StatusWriter
from lockstep.snapshot.snapshots import SnapshotCutter
from lockstep.watch.informer import Informer
from lockstep.watch.kinds import bids_kind, gangs_kind, watched_for
from lockstep.watch.kubernetes_kinds import WATCHED

DEFAULT = "default"
QUOTA_WAIT = 1800
GATE_IMAGE = "registry.example.com/lockstep:1"
PODS_ALONE = frozenset({Source.PODS, Source.SINGLE})
"""The sources that read no owners."""


def wall():
    """The operator's time of day."""
    return now()


@dataclass(slots=True, kw_only=True)
class Parts:
    """A watching operator; ``cycle`` is there, but runs only in ``running_operator``."""

    api: FakeApi
    client: KubeClient
    rights: Rights
    state: State
    services: Services
    metrics: Metrics
    cycle: Cycle
    bindings: list

    def metric(self, name, **labels):
        """The value of one series."""
        return self.metrics.registry.get_sample_value(name, labels)

    async def quiet(self):
        """Let time pass until every event so far is in the cache."""
        await asyncio.sleep(0.01)


@asynccontextmanager
async def watching_operator(api, plans=None, pool=ALL_NODES, sources=PODS_ALONE, *, sweeps=False):
    """Everything but the cycle: watches feed belief. Plans are made in the event loop by default."""
    woken, bindings, rights = WakeEvent(monotonic=now), [], Rights()
    metrics = Metrics(CollectorRegistry())
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(
            KubeClient(api.configuration, concurrency=8, observer=metrics.api.request_answered, rights=rights)
        )
        state = State(
            woken.set, count_parse_failure=metrics.api.object_not_understood, pool=pool, gate_image=GATE_IMAGE
        )
        state.sources = sources
        services = services_with(
            client,
            state,
            count_binding=bindings.append,
            count_refused=metrics.status_refused,
            count_given_up=metrics.gang_given_up,
        )
        cycle = Cycle(services, metrics, woken=woken, plans=plans or INLINE)
        informers = [Informer(client, kind, heard=metrics.api.watch_heard) for kind in all_kinds(state, sweeps=sweeps)]
        works = [*(informer.run() for informer in informers), keep_rights_reviewed(client, rights)]
        tasks = [asyncio.create_task(work) for work in works]
        stack.push_async_callback(end, tasks)
        for informer in informers:
            await until(informer.synced.is_set)
        yield Parts(
            api=api,
            client=client,
            rights=rights,
            state=state,
            services=services,
            metrics=metrics,
            cycle=cycle,
            bindings=bindings,
        )


def services_with(
    client, state, *, count_binding=lambda _: None, count_refused=lambda _: None, count_given_up=lambda _: None
):
    """What attempts work with."""
    writer = StatusWriter(client, state, instance="test", now=wall, count_refused=count_refused)
    lost_nodes = LostNodes(state, unreachable_after=300, monotonic=now)
    return Services(
        client=client,
        state=state,
        writer=writer,
        deletions=Deletions(client, monotonic=now, now=now),
        lost_nodes=lost_nodes,
        cutter=SnapshotCutter(state),
        now=wall,
        monotonic=now,
        provision_timeout=600,
        quota_wait=QUOTA_WAIT,
        window=AttemptWindow(now),
        suspensions=Suspensions(client, state, writer, lost_nodes),
        count_binding=count_binding,
        count_refused=count_refused,
        count_given_up=count_given_up,
    )


async def inline(work):
    """Make a plan in the event loop, so that whatever else happens always happens in the same order."""
    return work()


INLINE = PlanOptions(run=inline)


@asynccontextmanager
async def operator_over(*nodes, gangs=(), bids=(), plans=None, pool=ALL_NODES, **more):
    """A fake API server with these nodes (by default two of 8 CPUs), gangs and bids, and an operator that runs."""
    async with api_with(*nodes, gangs=gangs, bids=bids) as api, running_operator(api, plans, pool, **more) as parts:
        yield api, parts


@asynccontextmanager
async def api_with(*nodes, gangs=(), bids=()):
    """A fake API server with these nodes (by default two of 8 CPUs), gangs and bids."""
    async with FakeApi(now) as api:
        api.store.add("nodes", *(nodes or (node("n1"), node("n2"))))
        for resource, manifests in (("nodebids", bids), ("gangjobs", gangs)):
            for manifest in manifests:
                api.store.create(resource, manifest)
        yield api


@asynccontextmanager
async def running_operator(api, plans=None, pool=ALL_NODES, **more):
    """The whole operator but its own watches by kopf."""
    async with watching_operator(api, plans, pool, **more) as parts:
        tasks = [asyncio.create_task(work) for work in works_of(parts, sweeps=more.get("sweeps"))]
        try:
            yield parts
        finally:
            await end(tasks)
            await parts.cycle.stop()


def works_of(parts, *, sweeps):
    """What the operator does all the time. A pause of a second is a turn of the loop, 3,600 in an hour."""
    yield parts.cycle.run()
    if Source.WORKLOAD in parts.state.sources:
        yield ActiveChecks(parts.services).keep_active()
    if sweeps:
        yield SweepFollower(parts.services, parts.metrics.sweeps).run()


async def end(tasks):
    """Cancel tasks and wait until they are over."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def all_kinds(state, *, sweeps=False):
    """What the operator watches; its own kinds by plain informers, since kopf keeps a clock of its own."""
    return [
        make_kind(state) for make_kind in (*WATCHED, gangs_kind, bids_kind, *watched_for(state.sources, sweeps=sweeps))
    ]


def gang_place(name):
    """Where a gang is."""
    return Place("gangjobs", DEFAULT, name)


def pod_place(name):
    """Where a pod is."""
    return Place("pods", DEFAULT, name)


def pods_of(api, gang):
    """The members of a gang, whatever the attempt."""
    return [it for it in api.store.objects("pods") if it["metadata"].get("labels", {}).get("lockstep.dev/gang") == gang]


def common_of(api, gang):
    """What the members of a gang have in common: its Service and its ConfigMap, None where one is not there."""
    return tuple(
        api.store.get(Place(resource, DEFAULT, name))
        for resource, name in (("services", gang), ("configmaps", f"{gang}-hosts"))
    )


def bound(pods):
    """The nodes of those that have one."""
    return [it["spec"]["nodeName"] for it in pods if "nodeName" in it["spec"]]


def condition(api, gang, kind):
    """(status, reason) of one condition of a gang, or None."""
    conditions = api.store.get(gang_place(gang)).get("status", {}).get("conditions", [])
    return next(((it["status"], it["reason"]) for it in conditions if it["type"] == kind), None)


def messages_of(api):
    """All messages that conditions of gangs have had."""
    statuses = (it.event["object"].get("status", {}) for it in api.store.past if it.resource == "gangjobs")
    return [one["message"] for status in statuses for one in status.get("conditions", [])]


def is_placed(api, gang="g"):
    """Whether the gang's status says that all of its members are bound."""
    return condition(api, gang, "Placed") == ("True", "Bound")


def status_of(api, gang="g"):
    """A gang's status."""
    return api.store.get(gang_place(gang)).get("status", {})


def event_reasons(api):
    """The reasons of all events posted, in the order of their names."""
    return [it["reason"] for it in api.store.objects("events")]


def set_phases(api, gang, phase):
    """Say of all members of a gang what their kubelets would."""
    for it in pods_of(api, gang):
        set_phase(api, it, phase)


def set_phase(api, pod, phase, **status):
    """Say of a pod what its kubelet would."""
    name = pod if isinstance(pod, str) else pod["metadata"]["name"]
    api.store.change(pod_place(name), status={"phase": phase, **status})


def come_up(api, *names):
    """Let the init containers of these members' templates end, so that the members wait at their gates."""
    gate_runs = [{"name": "lockstep-gate", "state": {"running": {"startedAt": "2027-01-15T08:00:00Z"}}}]
    for name in names:
        set_phase(api, name, "Pending", initContainerStatuses=gate_runs)


async def leave_before(api, request_kind):
    """Let an operator that uses all nodes begin, and end it when it is about to send the first such request."""
    arrived = []

    def stop_there(request):
        if request[:2] == request_kind:
            arrived.append(request)
        return NEVER_ARRIVED if arrived and request.is_write else None

    api.fault = stop_there
    async with running_operator(api):
        await until(lambda: arrived)
    api.fault = lambda _: None
