"""Time to plan a whole queue, on facts in memory."""

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from time import perf_counter, process_time

import numpy as np
import operator_plan
from queue_events import EVENTS, Newcomer, Queue, refilled, settled
from rich.console import Console
from rich.table import Table

from coschedule import (
    Constraints,
    GangKey,
    Load,
    NodeTable,
    PendingGang,
    Release,
    Role,
    SerialWork,
    Sizes,
    Snapshot,
    plan,
)
from lockstep.cycle.planning.sizing import Contention, SizingPolicy
from lockstep.process.start.collector import collect_little

GANGS = 200
RUNNING = 100
ROUNDS = 5
FEW_ROUNDS = 3
QUEUES = (64, 128, 256, 512, 1024)
EVENT_QUEUE = 1000
EVENT_ROUNDS = 60
PIECES_A_MEMBER = 20
LOADS = (Load.EQUAL, Load.PROPORTIONAL, Load.PIECES)
RESOURCES = ("cpu", "memory", "pods")
CAPACITIES = np.array([1.0, 1.6, 2.5])


def measure(console: Console) -> None:
    """Plan a queue from nothing, and one gang more, on two sizes of cluster, for each load and few or many speeds."""
    table = Table("nodes", "speeds", "load", f"{GANGS} gangs wait", "of which start now", "one gang waits")
    for nodes, is_distinct, load in product((500, 5000), (False, True), LOADS):
        whole, one = snapshot(nodes, GANGS, load), snapshot(nodes, 1, load)
        if is_distinct:
            whole, one = with_distinct_speeds(whole), with_distinct_speeds(one)
        started = sum(getattr(decision, "start", np.inf) <= whole.now for decision in plan(whole).decisions)
        speeds = str(len(np.unique(whole.slowdown)))
        table.add_row(str(nodes), speeds, load, _milliseconds(whole), str(started), _milliseconds(one))
    console.print(table)
    _measure_long_queues(console)
    _measure_speeds(console)
    _measure_events(console)
    operator_plan.measure(console)


def _measure_speeds(console: Console) -> None:
    """Plan a queue from nothing on nodes of one speed, of a few, and each of its own; also at the operator's price."""
    nodes, gangs = 500, QUEUES[-1]
    few = snapshot(nodes, gangs, Load.EQUAL)
    kinds = {"one speed": replace(few, slowdown=np.ones(nodes)), "few": few, "each its own": with_distinct_speeds(few)}
    table = Table("price", *kinds, title=f"seconds of processor time, {gangs} gangs on {nodes} nodes")
    for price in (0.0, operators_price(gangs, nodes)):
        seconds = [_processor_seconds(priced(facts, price)) for facts in kinds.values()]
        table.add_row(f"{price:.2f}", *(f"{each:.3f}" for each in seconds))
    console.print(table)


def _measure_events(console: Console) -> None:
    """Plan a long queue again after each of many events, with what the plan before is remembered by.

    Garbage is collected as in the operator.
    """
    title = f"milliseconds of processor time after an event, {EVENT_QUEUE} gangs wait: median and 99 of 100"
    table = Table("nodes", "speeds", *EVENTS, title=title)
    for nodes, is_distinct in product((500, 5000), (False, True)):
        facts = priced(snapshot(nodes, EVENT_QUEUE, Load.EQUAL), operators_price(EVENT_QUEUE, nodes))
        if is_distinct:
            facts = with_distinct_speeds(facts)
        queue = settled(facts, _newcomers(facts))
        collect_little()
        times = _times_after_events(queue)
        cells = (f"{1000 * np.median(each):.0f}, {1000 * np.quantile(each, 0.99):.0f}" for each in times.values())
        table.add_row(str(nodes), str(len(np.unique(facts.slowdown))), *cells)
    console.print(table)


def _times_after_events(queue: Queue) -> Mapping[str, list[float]]:
    """Let every kind of event happen so many times, one kind after the other; return the seconds by its name."""
    times: dict[str, list[float]] = {name: [] for name in EVENTS}
    chance = np.random.default_rng(EVENT_ROUNDS)
    for _, (name, happens) in product(range(EVENT_ROUNDS), EVENTS.items()):
        happened = happens(queue, chance)
        began = process_time()
        facts = queue.after(happened)
        made = plan(facts)
        times[name].append(process_time() - began)
        queue = refilled(queue.planned(facts, made), EVENT_QUEUE)
    return times


def _newcomers(facts: Snapshot) -> Newcomer:
    """Make gangs like those that wait."""
    chance = np.random.default_rng(len(facts.gangs))
    price = facts.gangs[0].member_price
    return lambda number, now: replace(_gang(number, chance, Load.EQUAL), created=now, member_price=price)


def operators_price(gangs: int, nodes: int) -> float:
    """Return what a member-second costs when so many gangs wait."""
    return SizingPolicy().member_price(Contention(gangs, RUNNING, nodes))


def priced(facts: Snapshot, price: float) -> Snapshot:
    """Have all gangs choose at a price."""
    return replace(facts, gangs=tuple(replace(gang, member_price=price) for gang in facts.gangs))


def _measure_long_queues(console: Console) -> None:
    """Plan queues of rising length, on nodes of few speeds and on nodes that each have a speed of their own.

    The last column is the power of the queue's length with which the time grows from the shortest to the longest.
    """
    table = Table(
        "nodes", "speeds", *(f"{gangs} gangs" for gangs in QUEUES), "power", title="seconds of processor time"
    )
    for nodes, is_distinct in product((500, 5000), (False, True)):
        queues = [snapshot(nodes, gangs, Load.EQUAL) for gangs in QUEUES]
        if is_distinct:
            queues = [with_distinct_speeds(facts) for facts in queues]
        seconds = [_processor_seconds(facts) for facts in queues]
        power = np.log(seconds[-1] / seconds[0]) / np.log(QUEUES[-1] / QUEUES[0])
        speeds = str(len(np.unique(queues[0].slowdown)))
        table.add_row(str(nodes), speeds, *(f"{each:.3f}" for each in seconds), f"{power:.2f}")
    console.print(table)


def _processor_seconds(facts: Snapshot) -> float:
    """Take the least of some rounds: another user of the processor only adds to it."""
    times = []
    for _ in range(FEW_ROUNDS):
        began = process_time()
        plan(facts)
        times.append(process_time() - began)
    return min(times)


def with_distinct_speeds(facts: Snapshot) -> Snapshot:
    """Give every node a speed of its own, as measured loads do."""
    chance = np.random.default_rng(len(facts.slowdown))
    return replace(facts, slowdown=1 + chance.random(len(facts.slowdown)))


def snapshot(nodes: int, gangs: int, load: Load) -> Snapshot:
    """Nodes of three speeds and several loads, gangs on many of them that will end, and a queue of mixed sizes."""
    chance = np.random.default_rng(nodes)
    return Snapshot(
        generation=1,
        now=1000.0,
        resources=RESOURCES,
        nodes=NodeTable(
            names=tuple(f"n{number:05d}" for number in range(nodes)),
            labels=({},) * nodes,
            taints=((),) * nodes,
            ready=np.ones(nodes, dtype=np.bool_),
            unschedulable=np.zeros(nodes, dtype=np.bool_),
        ),
        free=np.tile(np.array([4000, 16 << 30, 100], dtype=np.int64), (nodes, 1)),
        start=np.zeros(nodes),
        slowdown=(1 + chance.choice([0.0, 0.25, 0.5], nodes)) / chance.choice(CAPACITIES, nodes),
        until=np.full(nodes, np.inf),
        releases=tuple(_releases(nodes, chance)),
        gangs=tuple(_gang(number, chance, load) for number in range(gangs)),
    )


def _releases(nodes: int, chance: np.random.Generator) -> Iterator[Release]:
    for _ in range(RUNNING):
        end = 1000.0 + float(chance.integers(10, 3600))
        for node in chance.choice(nodes, min(32, nodes), replace=False):
            yield Release(node=int(node), request=(4000, 8 << 30, 4), time=end)


def _gang(number: int, chance: np.random.Generator, load: Load) -> PendingGang:
    smallest = int(chance.integers(1, 33))
    return PendingGang(
        key=GangKey("bench", f"g{number:04d}"),
        priority=0,
        created=float(number),
        work=SerialWork(serial=float(chance.integers(600, 36000)), fixed=5.0, per_member=0.2),
        roles=(
            Role(
                sizes=Sizes(minimum=smallest, maximum=2 * smallest),
                request=(1000 * int(chance.integers(1, 5)), 2 << 30, 1),
                constraints=Constraints(),
                load=load,
                pieces=PIECES_A_MEMBER * smallest if load is Load.PIECES else None,
            ),
        ),
    )


def _milliseconds(facts: Snapshot) -> str:
    times = []
    for _ in range(ROUNDS):
        began = perf_counter()
        plan(facts)
        times.append(perf_counter() - began)
    return f"{1000 * statistics.median(times):.1f} ms"
