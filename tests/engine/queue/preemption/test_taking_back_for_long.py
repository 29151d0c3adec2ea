"""Use that grows while gangs wait and run: no gang starves, and groups do not take in turn, however long it goes on."""

import math
from collections import Counter
from typing import NamedTuple

import pytest

from coschedule.queue.plan import plan
from coschedule.queue.preemption.preempt import preempt
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.running import RunningGang
from engine.builders import NOW, seeded
from engine.queue.preemption.shared_nodes import NAMES, borrower, elastic, shared, waiting

HALF_LIFE = 7 * 86_400.0
STEP = 60.0
NODES = 6
LONGEST = 1_200.0


class Asked(NamedTuple):
    """A gang that comes ``at`` a time and runs for so long; what it has done is lost whenever it gives way."""

    name: str
    group: str
    size: int
    at: float = NOW
    seconds: float = math.inf
    is_elastic: bool = False


class Run(NamedTuple):
    asked: Asked
    nodes: tuple[int, ...]
    since: float


class LongHistory:
    """Plans each minute, carries the plan out at once, and charges each group for what it holds."""

    def __init__(self, gangs, *, used=(0.0, 0.0, 0.0), weights=(1.0, 1.0, 1.0)):
        self.now = NOW
        self.used = dict(zip(NAMES, used, strict=True))
        self.weights = dict(zip(NAMES, weights, strict=True))
        self.to_come = sorted(gangs, key=lambda one: one.at)
        self.waits: list[Asked] = []
        self.runs: dict[str, Run] = {}
        self.ended: list[str] = []
        self.takers, self.victims = Counter[str](), Counter[str]()

    def step(self):
        self._plan()
        for run in self.runs.values():
            self.used[run.asked.group] += len(run.nodes) / NODES * STEP
        self.now += STEP
        self.used = {group: used * 0.5 ** (STEP / HALF_LIFE) for group, used in self.used.items()}
        for name in [name for name, run in self.runs.items() if run.since + run.asked.seconds <= self.now]:
            del self.runs[name]
            self.ended.append(name)

    def level(self, group):
        return self.used[group] / self.weights[group]

    def _plan(self):
        while self.to_come and self.to_come[0].at <= self.now:
            self.waits.append(self.to_come.pop(0))
        facts = shared(
            [waiting(one.name, group=one.group, size=one.size, created=one.at, may_hold=False) for one in self.waits],
            [_running(run) for run in self.runs.values()],
            used=tuple(self.used.values()),
            weights=tuple(self.weights.values()),
            nodes=NODES,
            now=self.now,
        )
        made = preempt(facts, plan(facts))
        for one in made.preemptions:
            self._take(one)
        by_name = {one.name: one for one in self.waits}
        for one in made.plan.decisions:
            if isinstance(one, Placement) and one.start <= self.now and one.gang.name in by_name:
                self._start(by_name[one.gang.name], one)

    def _take(self, taking):
        taker = taking.gang.name
        assert self._share_held(taking.gang.namespace) < 1, "a group that holds its share takes nothing"
        self.takers[taker] += 1
        for victim in taking.victims:
            run = self.runs.pop(victim.name)
            self.waits.append(run.asked)
            self.victims[victim.name] += 1
        for change in taking.shrinks:
            run = self.runs[change.gang.name]
            self.runs[change.gang.name] = run._replace(nodes=run.nodes[: len(change.nodes)])
            self.victims[change.gang.name] += 1
        for group in {one.gang.namespace for one in taking.reclaimed}:
            assert self._share_held(group) >= 1, "no group falls below its share"

    def _share_held(self, group):
        """How many times its share a group holds."""
        held = sum(len(run.nodes) for run in self.runs.values() if run.asked.group == group)
        return held * (sum(self.weights.values()) + 0.001) / (NODES * self.weights[group])

    def _start(self, asked, placement):
        nodes = tuple(int(entry.node.removeprefix("n")) for entry in placement.members)
        self.waits.remove(asked)
        self.runs[asked.name] = Run(asked, nodes, self.now)


def _running(run: Run) -> RunningGang:
    make = elastic if run.asked.is_elastic and len(run.nodes) > 1 else borrower
    more = {"group": run.asked.group, "queued_since": run.asked.at, "since": run.since}
    return make(run.asked.name, *run.nodes, **more)


def random_gangs(rnd, count):
    return [
        Asked(
            name=f"g{number}",
            group=rnd.choice("aabbbbc"),
            size=rnd.randint(1, 4),
            at=NOW + rnd.choice([0, 0, 300, 900, 2_000]),
            seconds=rnd.choice([120.0, 600.0, LONGEST]),
            is_elastic=rnd.random() < 0.3,
        )
        for number in range(count)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_each_gang_ends_and_takings_are_bounded_by_gangs_and_ends(seed):
    """A group takes only below its share, and falls below it again only if a gang of it ends."""
    rnd, takings = seeded(seed), 0
    for _ in range(3):
        gangs = random_gangs(rnd, 12)
        used = tuple(rnd.choice([0.0, 500.0, 5_000.0]) for _ in NAMES)
        history = LongHistory(gangs, used=used, weights=tuple(rnd.choice([1.0, 2.0, 3.0]) for _ in NAMES))
        # While a gang waits, one runs: it ends, or gives way. Together these are at most three for each gang.
        latest = NOW + 2_000 + 3 * len(gangs) * LONGEST
        while len(history.ended) < len(gangs):
            history.step()
            assert history.now <= latest, "a gang starves"
            assert history.takers.total() <= len(gangs) + len(history.ended)
        for one in gangs:
            of_group = sum(other.group == one.group for other in gangs)
            assert history.takers[one.name] <= of_group
        takings += history.takers.total()
    assert takings


@pytest.mark.parametrize("seed", range(4))
def test_takings_stop_while_no_gang_ends_however_much_use_grows(seed):
    rnd = seeded(seed)
    gangs = [one._replace(seconds=math.inf) for one in random_gangs(rnd, 12)]
    history = LongHistory(gangs, used=(0.0, 0.0, 300.0))

    for _ in range(80):
        history.step()

    assert max(history.takers.values(), default=0) <= 1
    before = history.victims.copy()
    for _ in range(80):
        history.step()
    assert history.victims == before


def test_group_that_has_used_more_takes_back_once_the_other_one_has_overtaken_it():
    """Without taking back it would starve, as the other group always has a gang that waits."""
    borrowers = [Asked(f"b{number}", "b", 2, at=NOW - number) for number in range(9)]
    history = LongHistory([*borrowers, Asked("hungry", "a", 2, at=NOW)], used=(1_000.0, 0.0, 0.0))

    waited = 0
    while not history.takers:
        waited += 1
        assert waited < 100, "it starves"
        level, other = history.level("a"), history.level("b")
        history.step()
        assert bool(history.takers) == (other > level)

    assert waited > 5
    for _ in range(80):
        history.step()
    assert history.takers == {"hungry": 1}
    assert "hungry" in history.runs
