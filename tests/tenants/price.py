"""What objects of one tenant cost the others: counted, so that it is the same on every machine."""

import gc
import json
import tracemalloc
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from builders.work import instructions, instructions_of_steps
from coschedule import Promises, Snapshot
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.cycle.planning.plan_thread import make_plan
from lockstep.cycle.planning.within_quotas import keeping_within_quotas
from tenants.cluster import NOW, Cluster
from tenants.fitting import size
from tenants.shapes import Shape

Manifest = Mapping[str, Any]


class Price(NamedTuple):
    """The ``step`` that holds the event loop for longest and the ``work`` of a plan, as multiples of the same without.

    ``reading``: what it takes to read the largest object, on the event loop or beside it, as a multiple of that step.
    ``memory``: how many bytes are kept for each byte of the objects, when a plan was made with them.
    """

    step: float
    work: float
    reading: float
    memory: float


class Counted(NamedTuple):
    """Instructions of the longest step of the event loop, of a snapshot and a plan together, and of one reading."""

    step: int
    work: int
    reading: int


def price(shape: Shape) -> Price:
    """Price a shape."""
    manifests = shape.make()
    usual, counted = without(), count(Cluster(), shape.plural, manifests)
    return Price(
        step=counted.step / usual.step,
        work=counted.work / usual.work,
        reading=counted.reading / usual.step,
        memory=kept_for_each_byte(shape.plural, manifests),
    )


@cache
def without() -> Counted:
    """What the cluster costs by itself. What is done only once in a process is done before."""
    count(Cluster(), "gangjobs", [])
    return count(Cluster(), "gangjobs", [])


def count(cluster: Cluster, plural: str, manifests: Sequence[Manifest]) -> Counted:
    """Count what it costs to see these objects, and to make a plan for the first time with them."""
    reading = max((instructions(lambda one=one: cluster.read(plural, one)) for one in manifests), default=0)
    steps = [instructions(lambda one=one: cluster.believe(plural, one)) for one in manifests]
    steps += [instructions(lambda one=one: cluster.state.refusal_of(one)) for one in [*cluster.state.gangs.values()]]
    within, found = instructions_of_steps(keeping_within_quotas(cluster.state, cluster.waiting(), _raising))
    terms = cluster.terms(found.gangs)
    drawing, snapshot = instructions_of_steps(cluster.cutter.drawn(NOW, found.gangs, terms=terms, rescue=_raising))
    planning = instructions(lambda: _planned(snapshot))
    return Counted(max(*steps, *within, *drawing), sum(within) + sum(drawing) + planning, reading)


def kept_for_each_byte(plural: str, manifests: Sequence[Manifest]) -> float:
    """How many bytes belief keeps for each byte of these objects as the API server sends them."""
    texts, cluster = [json.dumps(one) for one in manifests], Cluster()
    _draw(cluster)
    gc.collect()
    tracemalloc.start()
    try:
        for text in texts:
            cluster.believe(plural, json.loads(text))
        _draw(cluster)
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return kept / sum(map(size, manifests))


def _draw(cluster: Cluster) -> None:
    gangs = cluster.waiting()
    cluster.cutter.cut(NOW, gangs, terms=cluster.terms(gangs))


def _planned(snapshot: Snapshot) -> None:
    make_plan(snapshot, PlanMemory(Promises.SLACK), _raising)


def _raising(_: object, error: Exception) -> None:
    raise error
