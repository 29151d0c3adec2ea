"""What objects of one tenant cost the others: counted, so that it is the same on every machine."""

import gc
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import orjson

from builders.work import instructions, instructions_of_steps
from coschedule import Promises, Snapshot
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.cycle.planning.plan_thread import make_plan
from lockstep.cycle.planning.within_quotas import keeping_within_quotas
from tenants.cluster import NOW, Cluster
from tenants.made import Made, made_of
from tenants.shapes import Shape
from tenants.sweeps import first_runs

Manifest = Mapping[str, Any]
Texts = Sequence[bytes]

_MOST_KEPT = 200
_FIRST_COUNTED, _LAST_COUNTED, _ONE_COUNTED_IN = 32, 4, 16


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


class _Seen(NamedTuple):
    """Instructions to read an object, and of the step of the event loop that sees it."""

    reading: int
    step: int


def price(shape: Shape) -> Price:
    """Price a shape."""
    [alone] = prices(made_of([shape]))
    return alone


def prices(group: Sequence[Made]) -> list[Price]:
    """Price shapes that share a cluster: what each pays there, which is at least what it would pay alone."""
    usual, plural, texts = without(), group[0].shape.plural, [one.texts for one in group]
    counted, kept = count(Cluster(), plural, texts), kept_for_each_byte(plural, texts)
    return [
        Price(one.step / usual.step, one.work / usual.work, one.reading / usual.step, memory)
        for one, memory in zip(counted, kept, strict=True)
    ]


@cache
def without() -> Counted:
    """What the cluster costs by itself. What is done only once in a process is done before."""
    count(Cluster(), "gangjobs", [[]])
    [counted] = count(Cluster(), "gangjobs", [[]])
    return counted


def count(cluster: Cluster, plural: str, made: Sequence[Texts]) -> list[Counted]:
    """Count what it costs to see the objects of each shape, and to make a plan for the first time with all of them."""
    seen = [_seen_counted(cluster, plural, texts) for texts in made]
    steps = [instructions(follow) for follow in cluster.follows()]
    if plural == "gangsweeps":
        steps += _each_run_counted(cluster, made)
    steps += [instructions(renew) for renew in cluster.renewals()]
    steps += [instructions(find) for find in cluster.rooms()]
    steps += [instructions(lambda one=one: cluster.state.refusal_of(one)) for one in [*cluster.state.gangs.values()]]
    within, found = instructions_of_steps(keeping_within_quotas(cluster.state, cluster.waiting(), _raising))
    terms = cluster.terms(found.gangs)
    drawing, snapshot = instructions_of_steps(cluster.cutter.drawn(NOW, found.gangs, terms=terms, rescue=_raising))
    work = sum(within) + sum(drawing) + instructions(lambda: _planned(snapshot))
    longest = max(*steps, *within, *drawing)
    return [
        Counted(max([longest, *(one.step for one in ones)]), work, max((one.reading for one in ones), default=0))
        for ones in seen
    ]


def _seen_counted(cluster: Cluster, plural: str, texts: Texts) -> list[_Seen]:
    """The instructions to read and to see each of the objects that are counted; all of them are seen."""
    counts = []
    for number, text in enumerate(texts):
        manifest = orjson.loads(text)
        see = partial(cluster.accept, plural, manifest)
        if _is_counted(number, len(texts)):
            reading = instructions(partial(cluster.read, plural, manifest))
            counts.append(_Seen(reading, instructions(see)))
        else:
            see()
    return counts


def _is_counted(number: int, objects: int) -> bool:
    """Whether the work on that object is counted, which takes ten times as long as the work itself.

    Of many objects, those in the middle differ by a number alone. What grows with their number shows at the last ones.
    """
    return number < _FIRST_COUNTED or objects - number <= _LAST_COUNTED or number % _ONE_COUNTED_IN == 0


def _each_run_counted(cluster: Cluster, made: Sequence[Texts]) -> list[int]:
    """The instructions to see the GangJob of each of the first runs of all sweeps."""
    gangs = [gang for texts in made for text in texts for gang in first_runs(orjson.loads(text))]
    return [instructions(partial(cluster.accept, "gangjobs", gang)) for gang in gangs]


def kept_for_each_byte(plural: str, made: Sequence[Texts]) -> list[float]:
    """How many bytes belief keeps for each byte of the objects of each shape as the API server sends them.

    Of many objects, the first are enough for that. What a snapshot keeps for all of them is counted for each, and what
    it gives back for none.
    """
    cluster, made = Cluster(), [texts[:_MOST_KEPT] for texts in made]
    _draw(cluster)
    gc.collect()
    tracemalloc.start()
    try:
        kept = [_kept(lambda ones=ones: _accept(cluster, plural, ones)) for ones in made]
        drawn = max(0, _kept(lambda: _draw(cluster)))
    finally:
        tracemalloc.stop()
    return [(own + drawn) / sum(map(len, ones)) for own, ones in zip(kept, made, strict=True)]


def _kept(work: Callable[[], None]) -> int:
    """How many bytes more are allocated after some work than before."""
    before, _ = tracemalloc.get_traced_memory()
    work()
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    return after - before


def _accept(cluster: Cluster, plural: str, texts: Texts) -> None:
    for text in texts:
        cluster.accept(plural, orjson.loads(text))


def _draw(cluster: Cluster) -> None:
    for renew in cluster.renewals():
        renew()
    gangs = cluster.waiting()
    cluster.cutter.cut(NOW, gangs, terms=cluster.terms(gangs))


def _planned(snapshot: Snapshot) -> None:
    make_plan(snapshot, PlanMemory(Promises.SLACK), _raising)


def _raising(_: object, error: Exception) -> None:
    raise error
