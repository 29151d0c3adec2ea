"""Queues that live: gangs come, start as planned and end, and each plan remembers the one before."""

import math
from dataclasses import replace

from coschedule.queue.keeping.memory import remembering
from coschedule.queue.plan import plan
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.nodes import Release
from engine.builders import NOW, gang, node, snapshot

NODES = 6


class History:
    """Plans at every event, and starts what is due. ``late(name)`` says how much longer than expected a gang runs."""

    def __init__(self, nodes, promises, *, late=lambda _name: 0.0):
        self.nodes, self.promises, self._late = nodes, promises, late
        self.now, self.waiting, self.running = NOW, {}, {}
        self.before = None
        self.promised, self.started = {}, {}

    def submit(self, one):
        """Let a gang come now."""
        self.waiting[one.key.name] = replace(one, created=self.now)

    def facts(self):
        """Freeze what is there."""
        free = [each["free"][0] for each in self.nodes]
        releases = []
        for placement, _ in self.running.values():
            for entry in placement.members:
                number = int(entry.node[1:])
                free[number] -= entry.count
                releases.append(Release(node=number, request=(entry.count,), time=max(placement.finish, self.now)))
        nodes = [dict(each, free=(left,)) for each, left in zip(self.nodes, free, strict=True)]
        made = snapshot(nodes, self.waiting.values(), releases=releases, now=self.now)
        made = replace(made, promises=self.promises)
        return made if self.before is None else remembering(made, *self.before)

    def decide(self):
        """Plan, note what is promised, and start what is due; returns the facts and the plan."""
        facts = self.facts()
        made = plan(facts)
        self.before = facts, made
        for one in made.decisions:
            if isinstance(one, Placement):
                self._note(one)
        return facts, made

    def _note(self, one):
        name = one.gang.name
        if one.start <= self.now:
            self.started[name] = self.now
            self.running[name] = one, one.finish + self._late(name)
            del self.waiting[name]
        elif one.promised is not None:
            self.promised.setdefault(name, []).append(one.promised)

    def next_end(self):
        """Return when something ends next, inf when nothing runs."""
        return min((end for _, end in self.running.values()), default=math.inf)

    def go_to(self, time):
        """Let time pass, up to the next end at most."""
        self.now = min(time, self.next_end())
        self.running = {name: run for name, run in self.running.items() if run[1] > self.now}


def random_nodes(rnd):
    """Describe nodes of one or of several speeds."""
    speeds = rnd.choice([[1.0], [1.0, 1.0, 1.5], [1.0, 1.25, 2.0]])
    return [node(f"n{number}", free=rnd.choice([1, 1, 2]), slowdown=rnd.choice(speeds)) for number in range(NODES)]


def random_gang(rnd, number):
    """Describe a gang that fits on the nodes."""
    least = rnd.choice([1, 1, 2, 3])
    return gang(
        f"g{number:02}",
        size=least,
        most=least * rnd.choice([1, 2]),
        serial=rnd.choice([8, 30, 120, 400]),
        per_member=rnd.choice([0, 1]),
        member_price=rnd.choice([0.0, 0.25, 1.0]),
    )


def live(history, rnd, *, gangs=14):
    """Let gangs come and go; yields the facts and the plan of each event."""
    for number in range(gangs):
        history.submit(random_gang(rnd, number))
        yield history.decide()
        until = history.now + rnd.choice([1.0, 5.0, 20.0, 60.0])
        while history.now < until:
            history.go_to(until)
            yield history.decide()
    while history.running:
        history.go_to(math.inf)
        yield history.decide()
