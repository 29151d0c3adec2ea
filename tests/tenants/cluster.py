"""A small cluster at work: nodes, pods of others, gangs that run and gangs that wait, all of honest tenants."""

import asyncio
import atexit
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from builders.facts import gang_fact, gang_spec, node_fact, reservation
from builders.served import budget, gang, metadata, pod
from lockstep.api.names import MEMBER_OF_LABEL, SCHEDULER_NAME
from lockstep.api.sweeps.run_gang import run_gang
from lockstep.api.sweeps.sweep import sweep_status_manifest
from lockstep.belief.state import State
from lockstep.cycle.sweeps.deciding import SweepView, next_steps
from lockstep.facts.cluster.cluster import PriorityClass
from lockstep.facts.cluster.volume import AttachLimits, StorageClass
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.source import Source
from lockstep.facts.runs.sweep_run import MOST_RUNS
from lockstep.facts.sweeps.run_ends import RunEnds
from lockstep.facts.sweeps.sweep import RequeueRequest, Sweep
from lockstep.report.sweeps.sweep_status import SweepNow, sweep_status
from lockstep.snapshot.later_rooms import room_for_later
from lockstep.snapshot.snapshots import SnapshotCutter
from lockstep.snapshot.wanted import PlanTerms
from lockstep.watch.kinds import bids_kind, gangs_kind, pod_gangs_kind, sweeps_kind
from lockstep.watch.kubernetes_kinds import budgets_kind, claims_kind, pods_kind, quotas_kind
from lockstep.watch.reader import Reader
from tenants.begun import running_pod
from tenants.companions import CLASS, HOST
from tenants.of_sources import made_gangs
from tenants.shapes import GROUP, MANY, NAMED, NAMESPACE

Manifest = Mapping[str, Any]

NODES = 50
WAITING = 20
RUNNING = 5
# The tenant whose objects are priced has a few gangs like everybody's too.
OF_TENANT = 6
NOW = 1_800_000_000.0
DRIVER = "disk.example.com"
GATE_IMAGE = "gate:1"
URGENT = "urgent"
_KINDS = {
    "gangjobs": gangs_kind,
    "gangs": pod_gangs_kind,
    "gangsweeps": sweeps_kind,
    "nodebids": bids_kind,
    "pods": pods_kind,
    "persistentvolumeclaims": claims_kind,
    "resourcequotas": quotas_kind,
    "poddisruptionbudgets": budgets_kind,
}
_QUOTA = {"pods": "9000", "requests.cpu": "9000", "persistentvolumeclaims": "9000"}


class Cluster:
    """The cache of an operator, and its way to a snapshot of it."""

    def __init__(self) -> None:
        self.state = State(lambda: None, gate_image=GATE_IMAGE)
        self.state.sources = frozenset(Source)
        self.cutter = SnapshotCutter(self.state)
        self._kinds = {plural: kind(self.state) for plural, kind in _KINDS.items()}
        self._readers = {plural: Reader(kind) for plural, kind in self._kinds.items()}
        self._add_nodes()
        for namespace in ("default", NAMESPACE):
            self.accept("resourcequotas", quota("usual", namespace, _QUOTA))
        self.accept("poddisruptionbudgets", budget(allowed=1, selector={"matchLabels": {"app": "served"}}))
        self._add_gangs()
        self._add_pod_gangs()

    def accept(self, plural: str, manifest: Manifest) -> None:
        """An object is there, as a watch shows it. What is done in other threads has ended when this returns."""
        _loop().run_until_complete(self._readers[plural].accept(manifest))

    def read(self, plural: str, manifest: Manifest) -> None:
        """Read an object in this thread; the cache does not change."""
        self._kinds[plural].read(manifest)

    def waiting(self) -> list[AcceptedGang]:
        """The gangs to be planned, in the order in which they came, after the room for pods that come later."""
        gangs = (one for one in self.state.gangs.values() if isinstance(one, AcceptedGang))
        waiting = sorted((one for one in gangs if self.state.phase_of(one).is_planned), key=lambda one: one.created)
        return [*self._rooms(), *waiting]

    def renewals(self) -> list[Callable[[], None]]:
        """What the operator does for each Gang whose pods have changed, and that is made, each in one step."""
        return [partial(self.state.pod_gang_facts.check, key) for key in self.state.pod_gangs.objects]

    def follows(self) -> list[Callable[[], object]]:
        """What the operator does on the event loop for each sweep; half its runs failed and are wanted again."""
        return [partial(_followed, sweep) for sweep in self.state.sweeps.objects.values()]

    def rooms(self) -> list[Callable[[], AcceptedGang | None]]:
        """What the operator does for each gang to find the room that is kept for it, each in one step."""
        return [partial(room_for_later, self.state, gang, NOW) for gang in self.state.gangs.values()]

    def _rooms(self) -> list[AcceptedGang]:
        return [room for find in self.rooms() if (room := find()) is not None]

    def terms(self, gangs: list[AcceptedGang]) -> Mapping[Any, PlanTerms]:
        """What the gangs are planned on: members are dear where gangs wait, and urgent gangs may evict."""
        return {one.key: _terms(one) for one in gangs}

    def _add_nodes(self) -> None:
        self.state.claims.storage.classes.apply(StorageClass(CLASS, DRIVER, waits=True))
        self.state.priorities.apply(PriorityClass(URGENT, 100, is_default=False))
        for number in range(NODES):
            name = f"n{number:03}"
            self.state.nodes.apply(node_fact(name, labels={HOST: name}))
            self.state.attachments.apply_limits(AttachLimits(name, {DRIVER: 20}))
            for app in ("served", "stored"):
                self.accept("pods", pod(f"{app}-{number}", node=name, phase="Running", labels={"app": app}))

    def _add_gangs(self) -> None:
        for number in range(RUNNING):
            self.state.apply_gang(gang_fact(f"r{number}", spec=gang_spec(size=10)))
            members = tuple((f"n{(7 * number + member) % NODES:03}", 1) for member in range(10))
            self.state.assumptions.hold(reservation(f"r{number}", members=members, finish=NOW + 60 * number))
        for number in range(WAITING):
            self.accept("gangjobs", honest_gang(number))
        for number in range(OF_TENANT):
            self.accept("gangjobs", honest_gang(number + 1, NAMESPACE))

    def _add_pod_gangs(self) -> None:
        """Gangs of everybody's, one of the tenant's, and pods for those of the tenant that are priced."""
        for number in range(OF_TENANT):
            self.accept("gangs", pod_gang(f"g{number}", "default"))
        self.accept("gangs", pod_gang(GROUP, NAMESPACE))
        named = [(f"g{number}", "default") for number in range(OF_TENANT)]
        for name, namespace in (*named, *((f"{NAMED}{number}", NAMESPACE) for number in range(MANY["gangs"]))):
            for member in "ab":
                self.accept("pods", waiting_pod(f"{name}-{member}", name, namespace))
        for number in range(MANY["gangs"]):
            self.accept("pods", running_pod(number))
        for made in made_gangs():
            self.accept("gangs", made)


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """One event loop for all objects: to make one for each of thousands takes longer than to read them."""
    loop = asyncio.new_event_loop()
    atexit.register(loop.close)
    return loop


def _followed(sweep: Sweep) -> object:
    """One pass from the status that was written to the next: what is decided, written and made."""
    runs = sweep.spec.runs or MOST_RUNS
    recorded = RunEnds.unpacked(b"\x22" * MOST_RUNS, runs)
    requeue = RequeueRequest("all", (1 << runs) - 1)
    steps = next_steps(SweepView(spec=sweep.spec, recorded=recorded, requeue=requeue))
    now = SweepNow(ends=steps.ends, failures=steps.failures, end=steps.end)
    return sweep_status_manifest(sweep_status(sweep, now, sweep.status, NOW)), run_gang(sweep, 0, (), 1)


def _terms(gang: AcceptedGang) -> PlanTerms:
    if gang.spec.is_room:
        return PlanTerms(not_before=NOW + 1, may_hold=False)
    return PlanTerms(member_price=0.1, may_preempt=gang.spec.priority_class == URGENT)


def honest_gang(number: int, namespace: str = "default") -> Manifest:
    """One of the gangs that wait: some have volumes, some keep off each other, and one is urgent and too large."""
    spec: dict[str, Any] = {"work": {"serialTime": "10m"}}
    if number % 3 == 1:
        wish = {"accessModes": ["ReadWriteOnce"], "storageClassName": CLASS, "resources": {"requests": {"storage": 1}}}
        spec["volumeClaimTemplates"] = [{"metadata": {"name": "data"}, "spec": wish}]
    if number % 3 == 2:
        spec["placement"] = {"onePer": HOST}
    if number == 0:
        return gang("urgent", size=40, cpu="6", spec={**spec, "priorityClassName": URGENT})
    made = gang(f"w{number}", size=1, most=4, spec=spec, uid=f"uid-of-{namespace}-{number}")
    return {**made, "metadata": {**made["metadata"], "namespace": namespace}}


def pod_gang(name: str, namespace: str) -> Manifest:
    """A Gang of at least one pod."""
    return {"metadata": metadata(name, namespace=namespace, generation=1), "spec": {"size": {"min": 1}}}


def waiting_pod(name: str, gang: str, namespace: str) -> Manifest:
    """A pod of a Gang that waits for a node."""
    made = pod(name, labels={MEMBER_OF_LABEL: gang}, spec={"schedulerName": SCHEDULER_NAME})
    named = {"namespace": namespace, "uid": f"uid-of-{namespace}-{name}"}
    return {**made, "metadata": {**made["metadata"], **named}}


def quota(name: str, namespace: str, hard: Manifest, spec: Manifest | None = None) -> Manifest:
    """A quota of which nothing is used."""
    status = {"hard": hard, "used": dict.fromkeys(hard, "0")}
    return {"metadata": metadata(name, namespace=namespace), "spec": spec or {}, "status": status}
