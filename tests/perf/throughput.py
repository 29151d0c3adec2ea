"""Pods per second from the first gang object to the last bind: Lockstep, kube-scheduler's own gangs, and two ceilings.

A ceiling is one client that only creates and binds pods: the very ones that Lockstep makes, or the smallest that there
can be. Each load is put on a control plane that has just started, with a scheduler that has just become ready (cold).
It is put on it once more when that is done (warm). All run on the same kind of API server, and one observer notes when
pods are seen bound.
"""

import asyncio
import statistics
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import Any

import orjson
import uvloop
from bench_cluster import NAMESPACE, admin_client, bare_cluster, operator, writes
from pod_groups import FLAGS, GROUPS, in_group, pod_group
from rich.console import Console
from rich.table import Column, Table

from lockstep.api.client import paths
from lockstep.api.client.answer import Target
from lockstep.api.client.client import KubeClient
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.members.binding import binding_manifest
from lockstep.api.members.member_pod import MemberPods
from lockstep.facts.gang.gang import AcceptedGang, Members
from lockstep.facts.pods.pod import PodKey
from lockstep_demo.operator_process import OperatorProcess
from sandbox import Component, Sandbox

LEAN = "lean client"
CEILING = "same pods"
NODES = 500
ROUNDS = 3
POD_SPEC: Mapping[str, Any] = {
    "restartPolicy": "Never",
    "schedulerName": "lockstep",
    "containers": [
        {
            "name": "main",
            "image": "registry.k8s.io/pause:3.10",
            "resources": {"requests": {"cpu": "1", "memory": "256Mi"}},
        }
    ],
}

GANG_METADATA = {
    "namespace": NAMESPACE,
    "uid": "00000000-0000-0000-0000-000000000000",
    "resourceVersion": "1",
    "generation": 1,
    "creationTimestamp": "2026-01-01T00:00:00Z",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """So many gangs of one size. Their names begin with ``batch``."""

    gangs: int
    size: int
    batch: str = "cold"

    @property
    def pods(self) -> int:
        """Members of all gangs."""
        return self.gangs * self.size


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """When the work began, and when each pod was seen bound, by gang, in seconds of one clock; requests that wrote."""

    began: float
    bound: Mapping[str, list[float]]
    writes: float = 0.0

    @property
    def pods_per_second(self) -> float:
        """From the beginning to the last bind."""
        times = [time for of_gang in self.bound.values() for time in of_gang]
        return len(times) / (max(times) - self.began)

    @property
    def writes_per_pod(self) -> float:
        """Of everybody, from the beginning to the last bind or a little later."""
        return self.writes / sum(len(of_gang) for of_gang in self.bound.values())

    @property
    def spread(self) -> float:
        """First to last bind of a gang, the median over gangs."""
        return statistics.median(max(times) - min(times) for times in self.bound.values())


PodsOfGang = Callable[[int, Load], Mapping[PodKey, Mapping[str, Any]]]
"""Makes the pods of the gang of that number."""


def measure(console: Console) -> None:
    """Measure both loads, all four in turn, and print the medians."""
    who = Column(no_wrap=True)
    shares = [f"of {ceiling}" for ceiling in (LEAN, CEILING)]
    table = Table("load", "", who, "pods/s", *shares, "writes/pod", "first to last bind")
    for load in (Load(gangs=100, size=16), Load(gangs=1, size=1600)):
        batches = (load, replace(load, batch="warm"))
        rounds = [_one_round(console, batches) for _ in range(ROUNDS)]
        for number, batch in enumerate(batches):
            _add_rows(table, batch, {name: [one[name][number] for one in rounds] for name in rounds[0]})
    console.print(table)


def _one_round(console: Console, batches: Sequence[Load]) -> dict[str, list[Timing]]:
    """Each of the four on a control plane of its own, one after the other; the ceilings first."""
    timings = {}
    for name, pods in ((LEAN, _lean_pods), (CEILING, _pods)):
        with bare_cluster(NODES, flags=FLAGS) as sandbox:
            timings[name] = [_counted(sandbox, partial(ceiling, pods), batch) for batch in batches]
    with bare_cluster(NODES, Component.SCHEDULER, flags=FLAGS) as sandbox:
        timings["kube-scheduler"] = [_counted(sandbox, grouped, batch) for batch in batches]
    with bare_cluster(NODES, flags=FLAGS) as sandbox, operator(sandbox) as running:
        timings["Lockstep"] = [_counted(sandbox, submitted, batch) for batch in batches]
        _print_where_time_went(console, running)
    return timings


def _counted(sandbox: Sandbox, work: Callable[[Sandbox, Load], Coroutine[None, None, Timing]], load: Load) -> Timing:
    before = writes(sandbox)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        timing = runner.run(work(sandbox, load))
    return replace(timing, writes=writes(sandbox) - before)


async def ceiling(pods: PodsOfGang, sandbox: Sandbox, load: Load) -> Timing:
    """One client creates each gang's pods and then binds them, 64 requests at once."""
    async with admin_client(sandbox) as client:
        watch, bound = await _watch_bindings(client, load)
        began = monotonic()
        await asyncio.gather(*(_create_and_bind(client, pods, number, load) for number in range(load.gangs)))
        await asyncio.wait_for(watch, timeout=120)
    return Timing(began=began, bound=bound)


async def grouped(sandbox: Sandbox, load: Load) -> Timing:
    """PodGroups and their pods are created, 64 requests at once; kube-scheduler does the rest."""
    async with admin_client(sandbox) as client:
        watch, bound = await _watch_bindings(client, load)
        began = monotonic()
        await asyncio.gather(*(_create_group(client, number, load) for number in range(load.gangs)))
        await asyncio.wait_for(watch, timeout=120)
    return Timing(began=began, bound=bound)


async def submitted(sandbox: Sandbox, load: Load) -> Timing:
    """GangJobs are created, the operator does the rest."""
    async with admin_client(sandbox) as client:
        watch, bound = await _watch_bindings(client, load)
        target = Target(f"/apis/lockstep.dev/v1alpha1/namespaces/{NAMESPACE}/gangjobs", "gangjobs")
        began = monotonic()
        answers = await asyncio.gather(*(client.create(target, _gang_job(n, load)) for n in range(load.gangs)))
        assert all(answer.is_success for answer in answers), answers[0]
        await asyncio.wait_for(watch, timeout=120)
    return Timing(began=began, bound=bound)


async def _create_group(client: KubeClient, gang: int, load: Load) -> None:
    name = _name(gang, load)
    created = await client.create(GROUPS, pod_group(name, load.size))
    assert created.is_success, created
    pods = (in_group(pod, name) for pod in _pods(gang, load).values())
    answers = await asyncio.gather(*(client.create(paths.pods_of(NAMESPACE), pod) for pod in pods))
    assert all(answer.is_success for answer in answers), answers[0]


async def _create_and_bind(client: KubeClient, pods_of: PodsOfGang, gang: int, load: Load) -> None:
    pods = pods_of(gang, load)
    keys = list(pods)
    answers = await asyncio.gather(*(client.create(paths.pods_of(NAMESPACE), pod) for pod in pods.values()))
    nodes = [f"n{(gang * load.size + rank) % NODES + 1:0{len(str(NODES))}d}" for rank in range(load.size)]
    bindings = [
        binding_manifest(key, answer.body["metadata"]["uid"], node)
        for key, answer, node in zip(keys, answers, nodes, strict=True)
    ]
    await asyncio.gather(
        *(client.create(paths.pod_binding(key), body) for key, body in zip(keys, bindings, strict=True))
    )


async def _watch_bindings(client: KubeClient, load: Load) -> tuple["asyncio.Task[None]", dict[str, list[float]]]:
    """Note when each pod is first seen on a node; the task ends with the last one."""
    bound: dict[str, list[float]] = {}
    seen: set[str] = set()
    opened = asyncio.Event()

    async def watch() -> None:
        # A server that has only just started ends its first watches; each begins with everything that is there.
        while len(seen) < load.pods:
            async with client.watch(paths.pods_of(NAMESPACE), {}) as lines:
                opened.set()
                async for batch in lines.batches():
                    now = monotonic()
                    for line in batch:
                        _note(line, load, now, seen, bound)
                    if len(seen) == load.pods:
                        return

    task = asyncio.create_task(watch())
    await opened.wait()
    return task, bound


def _note(line: bytes, load: Load, now: float, seen: set[str], bound: dict[str, list[float]]) -> None:
    # Creations are half of the events: they need not be decoded to be passed over.
    if b'"nodeName"' not in line:
        return
    metadata = orjson.loads(line)["object"]["metadata"]
    if metadata["name"].startswith(load.batch) and metadata["name"] not in seen:
        seen.add(metadata["name"])
        bound.setdefault(metadata["name"].split("-")[0], []).append(now)


def _gang_job(gang: int, load: Load) -> dict[str, Any]:
    return {
        "apiVersion": "lockstep.dev/v1alpha1",
        "kind": "GangJob",
        "metadata": {"name": _name(gang, load)},
        "spec": {
            "size": {"min": load.size, "max": load.size},
            "work": {"serialTime": "1h"},
            "template": {"spec": POD_SPEC},
        },
    }


def _name(gang: int, load: Load) -> str:
    return f"{load.batch}{gang}"


def _lean_pods(gang: int, load: Load) -> dict[PodKey, dict[str, Any]]:
    """As many pods with nothing in them but an image; no controller could know whose they are."""
    containers = [{"name": "main", "image": "registry.k8s.io/pause:3.10"}]
    names = (f"{_name(gang, load)}-1-{rank}" for rank in range(load.size))
    return {
        PodKey(NAMESPACE, name): {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name},
            "spec": {"containers": containers},
        }
        for name in names
    }


def _pods(gang: int, load: Load) -> dict[PodKey, dict[str, Any]]:
    """The very pods that the operator makes for this gang; the gang itself is not there."""
    fact = parse_gang({**_gang_job(gang, load), "metadata": GANG_METADATA | {"name": _name(gang, load)}}, None)
    assert isinstance(fact, AcceptedGang)
    pods = MemberPods(fact, 1, (Members("", load.size),))
    manifests = [pods.pod(rank) for rank in range(load.size)]
    return {PodKey(fact.key.namespace, one["metadata"]["name"]): one for one in manifests}


def _add_rows(table: Table, load: Load, timings: Mapping[str, Sequence[Timing]]) -> None:
    for name, runs in timings.items():
        table.add_row(
            f"{load.gangs} x {load.size}",
            load.batch,
            name,
            f"{statistics.median(run.pods_per_second for run in runs):.0f}",
            *(_share(runs, timings[ceiling]) for ceiling in (LEAN, CEILING)),
            f"{statistics.median(run.writes_per_pod for run in runs):.1f}",
            f"{statistics.median(run.spread for run in runs):.3f} s",
        )


def _share(runs: Sequence[Timing], ceilings: Sequence[Timing]) -> str:
    # What else the machine does changes from round to round: each run is compared with the ceiling of its round.
    rounds = zip(runs, ceilings, strict=True)
    return f"{statistics.median(run.pods_per_second / most.pods_per_second for run, most in rounds):.2f}"


def _print_where_time_went(console: Console, running: OperatorProcess) -> None:
    metrics = running.metrics()
    stages = {
        stage: metrics[f'lockstep_cycle_duration_seconds_sum{{stage="{stage}"}}']
        for stage in ("snapshot", "plan", "act", "report")
    }
    spent = ", ".join(f"{stage} {seconds:.2f} s" for stage, seconds in stages.items())
    console.print(f"operator: {running.cpu_seconds():.1f} s of CPU since its start; in cycles: {spent}")
