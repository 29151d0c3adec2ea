"""Time and memory of the operator's own plans of a very long queue: the first are planned exactly, others estimated."""

import resource
from collections.abc import Mapping
from time import process_time
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from builders.facts import gang_fact, gang_spec, node_fact, reservation
from coschedule import Decision, GangKey, Placement, SerialWork
from lockstep.belief.state import State
from lockstep.cycle.planning.estimates import estimates
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.cycle.planning.plan_thread import make_plan
from lockstep.cycle.planning.planning import PlanOptions
from lockstep.cycle.planning.rotation import Rotation
from lockstep.cycle.planning.sizing import Contention, SizingPolicy
from lockstep.cycle.planning.waiting import by_urgency
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.snapshot.snapshots import SnapshotCutter
from lockstep.snapshot.wanted import PlanTerms

NODES = 5000
RUNNING = 100
WAITING = (1_000, 10_000)
FOLLOWING = 4
NOW = 1000.0
PAUSE_SECONDS = 5.0


class Spent(NamedTuple):
    """Seconds of processor time of each part of a plan, and how many gangs were planned exactly."""

    snapshot: float
    plan: float
    estimates: float
    exactly: int


def measure(console: Console) -> None:
    """Plan from nothing, and then again after single arrivals."""
    table = Table(
        "gangs that wait", "exactly", "plan", "snapshot s", "planning s", "estimates s", "whole s", "peak MiB"
    )
    for waiting in WAITING:
        before = _peak_mib()
        queue = _Queue(waiting)
        spent = [queue.planned()]
        for _ in range(FOLLOWING):
            queue.arrival()
            spent.append(queue.planned())
        for name, one in (("first", spent[0]), ("again", max(spent[1:], key=lambda each: sum(each[:3])))):
            seconds = (f"{each:.3f}" for each in (*one[:3], sum(one[:3])))
            table.add_row(str(waiting), str(one.exactly), name, *seconds, f"{_peak_mib() - before:.0f}")
    console.print(table)


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


class _Queue:
    """The state of an operator in whose queue so many gangs wait, and what it remembers of its plans."""

    def __init__(self, waiting: int) -> None:
        self._chance = np.random.default_rng(waiting)
        self._state, self._now = State(lambda: None), NOW
        for number in range(NODES):
            self._state.nodes.apply(node_fact(f"n{number:05d}", cpu=4000))
        for number in range(RUNNING):
            self._run(number)
        for _ in range(waiting):
            self._come()
        self._cutter, self._memory = SnapshotCutter(self._state), PlanMemory(PlanOptions().promises)
        self._rotation = Rotation(PlanOptions().most_in_front)

    def arrival(self) -> None:
        """One gang more comes."""
        self._now += PAUSE_SECONDS
        self._come()

    def planned(self) -> Spent:
        """Plan as ``cycle.planning`` does."""
        waiting = by_urgency(self._state, self._state.gangs.values(), self._now)
        waiting = [gang for gang in waiting if gang.key not in self._state.reservations]
        chosen = self._rotation.choose(waiting, always=(), has_changed=True)
        exactly = [gang for gang in waiting if gang.key in chosen]
        began = process_time()
        snapshot = self._cutter.cut(self._now, exactly, terms=self._terms(waiting, exactly))
        cut = process_time()
        made = make_plan(snapshot, self._memory, _raise).plan
        planned = process_time()
        in_front = [decision for decision in made.decisions if decision.gang in chosen.front]
        rest = [gang for gang in waiting if gang.key not in chosen]
        estimates(waiting, rest, in_front, self._now, lambda _: None)
        spent = Spent(cut - began, planned - cut, process_time() - planned, len(exactly))
        for decision in made.decisions:
            self._carry_out(decision)
        return spent

    def _carry_out(self, decision: Decision) -> None:
        """Remember what was decided, and start the gang if that is now."""
        gang = self._state.gangs[decision.gang]
        self._rotation.record(gang, decision)
        if isinstance(decision, Placement) and decision.start <= self._now:
            assert isinstance(gang, AcceptedGang), "all gangs here are well-formed"
            members = tuple((one.node, one.count) for one in decision.members)
            request = gang.spec.roles[0].request
            held = reservation(gang.key.name, members=members, request=request, start=self._now, finish=decision.finish)
            self._state.assumptions.hold(held)

    def _terms(self, waiting: list[AcceptedGang], exactly: list[AcceptedGang]) -> Mapping[GangKey, PlanTerms]:
        price = SizingPolicy().member_price(Contention(len(waiting), RUNNING, NODES))
        return {gang.key: PlanTerms(member_price=price) for gang in exactly}

    def _run(self, number: int) -> None:
        name, chance = f"running-{number:03d}", self._chance
        self._state.apply_gang(gang_fact(name, spec=gang_spec(size=32)))
        members = tuple((f"n{node:05d}", 1) for node in sorted(chance.choice(NODES, 32, replace=False).tolist()))
        finish = NOW + float(chance.integers(600, 7200))
        self._state.assumptions.hold(
            reservation(name, members=members, request=_request(3000), start=NOW, finish=finish)
        )

    def _come(self) -> None:
        chance, number = self._chance, len(self._state.gangs)
        smallest = int(chance.integers(1, 33))
        work = SerialWork(serial=float(chance.integers(600, 36000)), fixed=5.0, per_member=0.2)
        request = _request(1000 * int(chance.integers(1, 5)))
        spec = gang_spec(size=smallest, most=2 * smallest, work=work, request=request)
        self._state.apply_gang(gang_fact(f"g{number:05d}", created=float(number), spec=spec))


def _request(cpu: int) -> tuple[tuple[str, int], ...]:
    return (("bid slots", 1), ("cpu", cpu), ("pods", 1))


def _raise(_: GangKey, error: Exception) -> None:
    raise error
