"""A long queue that remembers its plan, and what may happen to it: after each event it has to be planned again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from coschedule import PendingGang, Placement, Plan, Promises, Release, Snapshot, plan, remembering
from coschedule.queue.preemption.worlds import with_started

SETTLING = 3
PAUSE_SECONDS = 1.0
OVERRUN_SECONDS = 60.0

Newcomer = Callable[[int, float], PendingGang]
"""Makes a gang of a number, created at a time."""


class Queue(NamedTuple):
    """A queue and its plan; ``came`` gangs have come so far, and ``newcomer`` makes more like them."""

    facts: Snapshot
    made: Plan
    came: int
    newcomer: Newcomer

    @property
    def next_start(self) -> float:
        """When a gang starts as planned."""
        return min(one.start for one in self.made.decisions if isinstance(one, Placement))

    def after(self, facts: Snapshot) -> Snapshot:
        """What is to be planned when these are the facts."""
        return remembering(facts, self.facts, self.made)

    def planned(self, facts: Snapshot, made: Plan) -> "Queue":
        """The queue after its plan has been made again."""
        return self._replace(facts=facts, made=made, came=self.came + _newcomers(self.facts, facts))


Event = Callable[[Queue, np.random.Generator], Snapshot]


def settled(facts: Snapshot, newcomer: Newcomer) -> Queue:
    """Let gangs start, and as many others come, until all who wait keep a plan from before."""
    facts = replace(facts, promises=Promises.SLACK)
    queue = Queue(facts, plan(facts), len(facts.gangs), newcomer)
    for _ in range(SETTLING):
        later = queue.after(_refilled(queue, with_due_started(queue), len(facts.gangs)))
        queue = queue.planned(later, plan(later))
    return queue


def refilled(queue: Queue, length: int) -> Queue:
    """Let gangs come until so many wait, if fewer do."""
    if len(queue.facts.gangs) >= length:
        return queue
    facts = queue.after(_refilled(queue, queue.facts, length))
    return queue.planned(facts, plan(facts))


def _refilled(queue: Queue, facts: Snapshot, length: int) -> Snapshot:
    missing = range(queue.came, queue.came + length - len(facts.gangs))
    return replace(facts, gangs=(*facts.gangs, *(queue.newcomer(number, facts.now) for number in missing)))


def _newcomers(before: Snapshot, after: Snapshot) -> int:
    return len({gang.key for gang in after.gangs} - {gang.key for gang in before.gangs})


def with_due_started(queue: Queue) -> Snapshot:
    """Start the gangs that are planned to start now."""
    now = queue.facts.now
    due = [one for one in queue.made.decisions if isinstance(one, Placement) and one.start <= now]
    return with_started(queue.facts, due)


def arrival(queue: Queue, _: np.random.Generator) -> Snapshot:
    """A gang comes."""
    facts = _a_little_later(queue)
    return _refilled(queue, facts, len(facts.gangs) + 1)


def early_end(queue: Queue, chance: np.random.Generator) -> Snapshot:
    """A gang that runs ends now."""
    facts = _a_little_later(queue)
    ended = _ending_at(facts, float(chance.choice(_ends(facts))))
    free = facts.free.copy()
    for release in ended:
        free[release.node] += release.request
    return replace(facts, free=free, releases=tuple(one for one in facts.releases if one not in ended))


def overrun(queue: Queue, _: np.random.Generator) -> Snapshot:
    """The gang that should end next runs for longer."""
    facts = _a_little_later(queue)
    end = _ends(facts)[0]
    later = tuple(replace(one, time=end + OVERRUN_SECONDS) if one.time == end else one for one in facts.releases)
    return replace(facts, releases=later)


def start(queue: Queue, _: np.random.Generator) -> Snapshot:
    """Start the gang that is planned to start next, and end those that give nodes back until then."""
    now = max(queue.facts.now, queue.next_start)
    return with_due_started(queue._replace(facts=_given_back(replace(queue.facts, now=now))))


def lost_node(queue: Queue, chance: np.random.Generator) -> Snapshot:
    """A node is not ready any more."""
    facts = _a_little_later(queue)
    ready = facts.nodes.ready.copy()
    ready[chance.choice(np.flatnonzero(ready))] = False
    return replace(facts, nodes=replace(facts.nodes, ready=ready))


EVENTS: Mapping[str, Event] = {
    "arrival": arrival,
    "early end": early_end,
    "overrun": overrun,
    "start": start,
    "lost node": lost_node,
}


def _a_little_later(queue: Queue) -> Snapshot:
    now = queue.facts.now
    return _given_back(replace(queue.facts, now=min(now + PAUSE_SECONDS, max(now, queue.next_start))))


def _given_back(facts: Snapshot) -> Snapshot:
    """Give back what was due by now."""
    free = facts.free.copy()
    due = [release for release in facts.releases if release.time <= facts.now]
    for release in due:
        free[release.node] += release.request
    return replace(facts, free=free, releases=tuple(one for one in facts.releases if one.time > facts.now))


def _ends(facts: Snapshot) -> Sequence[float]:
    return sorted({release.time for release in facts.releases})


def _ending_at(facts: Snapshot, time: float) -> set[Release]:
    return {release for release in facts.releases if release.time == time}
