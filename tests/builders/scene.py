"""A cluster in the midst of its work: nodes, gangs that run there, and what the real planner expects of the others."""

import random
from collections.abc import Iterable
from dataclasses import replace

from builders.facts import bid_fact, gang_fact, gang_spec, member_fact, node_fact
from builders.statuses import reserved
from coschedule import GangKey, Members, Placement, Promises, SerialWork, plan
from lockstep.belief.state import State
from lockstep.cycle.planning.decided import LastPlan, Seen
from lockstep.facts.elastic import ElasticSpec, NextSize
from lockstep.facts.pods.pod import PodPhase
from lockstep.report.status.attempt_marks import mark_notice, mark_placed
from lockstep.report.status.plan_marks import mark_planned_for_later, mark_unplaceable
from lockstep.snapshot.snapshots import SnapshotCutter
from lockstep.snapshot.wanted import PlanTerms

HOUR = 3600.0
# As nodes are bought: so many of each generation, and how long one takes for a second's work.
KINDS = ((0.2, 0.5), (0.5, 1.0), (0.3, 1.6))


class Scene:
    """Gangs on nodes. What starts is on its nodes at once, and each status says what the operator would write."""

    def __init__(self) -> None:
        self.state = State(lambda: None)
        self.decided = None

    def add_node(self, name, *, slowdown=1.0, slots=1, ready=True, cordoned=False, **window):
        """Add a node that takes so many members at a time."""
        self.state.nodes.apply(node_fact(name, cpu=1000 * slots, ready=ready, cordoned=cordoned))
        self.state.bids.apply(bid_fact(name, slowdown=slowdown, slots=slots, **window))

    def submit(self, name, *, size=1, most=None, seconds=None, created=0.0, namespace="default"):
        """Add a gang that needs so many seconds if it has one member."""
        work = None if seconds is None else SerialWork(serial=seconds)
        gang = gang_fact(name, spec=gang_spec(size=size, most=most, work=work), created=created)
        self.state.apply_gang(replace(gang, key=GangKey(namespace, name)))

    def plan(self, now):
        """Plan all that wait, and start what is due."""
        gangs = [gang for gang in self.state.gangs.values() if gang.key not in self.state.reservations]
        # As dear as where gangs wait, so that the first leave something for the others.
        terms = {gang.key: PlanTerms(member_price=0.1) for gang in gangs}
        snapshot = replace(SnapshotCutter(self.state).cut(now, gangs, terms=terms), promises=Promises.SLACK)
        self.decided = LastPlan(seen=Seen(snapshot, {}), plan=plan(snapshot), asked={}, preemptions=())
        for decision in self.decided.plan.decisions:
            self._write(decision, now)

    def _write(self, decision, now):
        gang = self.state.gangs[decision.gang]
        if not isinstance(decision, Placement):
            status = mark_unplaceable(gang, decision, now=now)
        elif decision.start > now:
            status = mark_planned_for_later(gang, decision, now=now)
        else:
            holds = replace(gang, status=reserved(gang, decision, now=now))
            status = mark_placed(holds, now=now)
        self.state.apply_gang(replace(gang, status=status))

    def give_notice(self, name, *nodes, at, finish):
        """Have the members of a gang, which run, read that it will have one on each of these nodes."""
        gang = self.state.gangs[GangKey("default", name)]
        for member in self.state.reservations[gang.key].by_rank():
            self.state.apply_pod(member_fact(name, rank=member.rank, node=member.node, phase=PodPhase.RUNNING))
        spec = replace(gang.spec, elastic=ElasticSpec(120.0, 600.0, has_notice=True))
        members = tuple(Members(node, 1) for node in nodes)
        following = NextSize(members=members, decided_at=at, begins_at=at, expected_finish=finish, why="more are free")
        status = mark_notice(gang, following)
        self.state.apply_gang(replace(gang, spec=spec, status=status, resource_version="9"))

    def end(self, name, namespace="default"):
        """Have a gang go, and its members with it."""
        gang = self.state.gangs[GangKey(namespace, name)]
        self.state.remove_gang(gang.key, gang.uid)


def three_gangs(now, *, closes):
    """A gang on nodes, one that waits for it, and one that is too large. Of three nodes, a faster one closes then."""
    scene = Scene()
    scene.add_node("n1")
    scene.add_node("n2")
    scene.add_node("n3", slowdown=0.5, until=closes)
    scene.submit("first", size=3, seconds=3 * HOUR, created=now)
    scene.plan(now)
    scene.submit("second", size=2, seconds=HOUR, created=now + 1)
    scene.submit("giant", size=9, created=now + 2)
    scene.plan(now)
    return scene


def busy(now, *, nodes, gangs, seed=1, names: Iterable[str] = ("heat", "render", "census", "train", "fold")):
    """A cluster of three kinds of nodes, where gangs have come for two hours and others wait."""
    chance = random.Random(seed)  # noqa: S311 - scenes, not secrets
    scene = Scene()
    slowdowns = [slowdown for share, slowdown in KINDS for _ in range(round(share * nodes))]
    for number, slowdown in enumerate(slowdowns, 1):
        until = now + 3 * HOUR if number % 25 == 0 else None
        scene.add_node(f"n{number:03}", slowdown=slowdown, slots=2, until=until, cordoned=number % 97 == 0)
    kinds = list(names)
    for number in range(gangs):
        least = chance.choice((1, 2, 4, 8))
        scene.submit(
            f"{kinds[number % len(kinds)]}-{number}",
            size=least,
            most=2 * least,
            seconds=least * chance.uniform(0.2, 3) * HOUR,
            created=now - (gangs - number) * 2 * HOUR / gangs,
        )
        if number % max(1, gangs // 8) == 0:
            scene.plan(now - (gangs - number) * HOUR / gangs)
    scene.submit("atlas", size=3 * nodes, seconds=HOUR, created=now)
    scene.plan(now)
    return scene
