"""Nodes, gangs, snapshots, jobs and auctions for tests: a case names only what it is about."""

import math
import random
from collections import Counter
from dataclasses import fields, replace
from fractions import Fraction

import numpy as np

from coschedule.model.kinds import NO_KIND, KindFactor
from coschedule.model.run_times import SerialWork, TimesWork
from coschedule.problems.node import Node
from coschedule.problems.shum.events import Arrive, AuctionRules, HoldAuction
from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.plan import plan
from coschedule.queue.problem.gangs import GangKey, Load, PendingGang, Role
from coschedule.queue.problem.nodes import NodeTable, Nominated, Release
from coschedule.queue.problem.open_ended import OpenEnded
from coschedule.queue.problem.owner_forecasts import Forecasts
from coschedule.queue.problem.running import Disrupted, Holding, RunningGang, SmallerSize, SmallerSizes
from coschedule.queue.problem.sizes import Sizes
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.problem.terms import Term, TermKind
from engine.brute.pieces import Job, Offer

NOW = 1000.0
ANYWHERE = Constraints()
OF_GANGS = {field.name for field in fields(PendingGang)}


def seeded(seed):
    """Make a source of reproducible cases."""
    return random.Random(seed)  # noqa: S311 - cases of a test are no secrets


def node(
    name,
    *,
    free=1,
    start=-math.inf,
    until=math.inf,
    slowdown=1.0,
    kind=NO_KIND,
    labels=None,
    taints=(),
    ready=True,
    cordoned=False,
    someday=(),
    lasting=(),
):
    """Describe a node; ``free`` is a number of places, or amounts by resource."""
    return {
        "name": name,
        "free": (free,) if isinstance(free, int) else tuple(free),
        "start": start,
        "until": until,
        "slowdown": slowdown,
        "kind": kind,
        "labels": labels or {},
        "taints": tuple(taints),
        "ready": ready,
        "cordoned": cordoned,
        "someday": someday,
        "lasting": lasting,
    }


def gang(
    name="g",
    *,
    roles=(),
    serial=None,
    times=None,
    per_member=0,
    terms=(),
    checkpoints=math.inf,
    factors=(),
    **more,
):
    """Describe a gang of ``roles``, or of members as ``role`` describes them; ``factors`` are (kind, times).

    ``more`` are other fields of the gang, or of its only role. Without ``serial`` or ``times`` its run time is unknown.
    """
    of_gang = {"priority": 0, "created": 0.0, **{one: more.pop(one) for one in more.keys() & OF_GANGS}}
    serial_work = SerialWork(serial=serial, per_member=per_member) if serial else None
    return PendingGang(
        key=GangKey("default", name),
        roles=tuple(roles) or (role(**more),),
        work=TimesWork(times=tuple(times)) if times else serial_work,
        terms=tuple(terms),
        checkpoint_interval=checkpoints,
        factors=tuple(KindFactor(*one) for one in factors),
        **of_gang,
    )


def running(
    name, *holds, priority=0, queued_since=0.0, size=1, since=NOW - 10, end=math.inf, grace=0.0, disrupts=(), width=1
):
    """Describe a gang that runs and may be evicted: ``holds`` are nodes by index, or (node, amounts...) pairs."""
    return RunningGang(
        key=GangKey("default", name),
        priority=priority,
        queued_since=queued_since,
        size=size,
        since=since,
        end=end,
        grace=grace,
        holds=tuple(Holding(one, (1,) * width) if isinstance(one, int) else Holding(one[0], one[1:]) for one in holds),
        disrupts=tuple(Disrupted(*one) for one in disrupts),
    )


def shrinkable(name, *nodes, sizes, restart_time=0.0, keeps=False, lost=0.0, **more):
    """Describe a gang with a member on each of these nodes; ``sizes`` are pairs of a smaller size and its end."""
    smaller = SmallerSizes(
        nodes=nodes,
        request=(1,),
        sizes=tuple(SmallerSize(*one) for one in sizes),
        restart_time=restart_time,
        keeps=keeps,
        lost=lost,
    )
    held = sorted(Counter(nodes).items())
    return replace(running(name, *held, size=len(nodes), **more), smaller=smaller)


def role(
    name="",
    *,
    size=1,
    most=None,
    multiple_of=1,
    allowed=(),
    request=(1,),
    constraints=ANYWHERE,
    load=Load.EQUAL,
    pieces=None,
    weight=1,
):
    """Describe ``size`` to ``most`` members."""
    sizes = Sizes(minimum=size, maximum=most or size, multiple_of=multiple_of, allowed=tuple(allowed))
    return Role(
        name=name,
        sizes=sizes,
        request=request,
        constraints=constraints,
        load=load,
        pieces=pieces,
        piece_weight=weight,
    )


def together(*roles, key="zone", towards=()):
    """Say that roles share one domain, or that their members are where one of those ``towards`` is."""
    names = frozenset(roles)
    return Term(kind=TermKind.TOGETHER, topology_key=key, roles=names, towards=frozenset(towards) or names)


def apart(*roles, key="kubernetes.io/hostname", towards=()):
    """Say that members of roles share no domain, or none with one of those ``towards``."""
    names = frozenset(roles)
    return Term(kind=TermKind.APART, topology_key=key, roles=names, towards=frozenset(towards) or names)


def nodes_taken(placement):
    """List how many members are on each node, by name; ranks run along the list."""
    by_node = {}
    for one in placement.members:
        by_node[one.node] = by_node.get(one.node, 0) + one.count
    return tuple(by_node.items())


def release(node_index, time, *request):
    """Describe what comes back on a node, by default one place."""
    return Release(node=node_index, request=request or (1,), time=time)


def in_front(node_index, *request, priority=0):
    """Describe a pod for which room is made on a node, by default one place."""
    return Nominated(node=node_index, request=request or (1,), priority=priority)


def snapshot(
    nodes,
    gangs,
    *,
    releases=(),
    nominated=(),
    resources=("slots",),
    now=NOW,
    generation=1,
    most_holding=0,
    runs=(),
    budgets=(),
    edges=(),
    returns=(),
):
    """Freeze nodes (sorted by name here) and gangs; ``returns`` are probabilities, one row for each node."""
    nodes = sorted(nodes, key=lambda one: one["name"])
    return Snapshot(
        generation=generation,
        now=now,
        resources=resources,
        nodes=NodeTable(
            names=tuple(one["name"] for one in nodes),
            labels=tuple(one["labels"] for one in nodes),
            taints=tuple(one["taints"] for one in nodes),
            ready=np.array([one["ready"] for one in nodes], dtype=bool),
            unschedulable=np.array([one["cordoned"] for one in nodes], dtype=bool),
        ),
        free=np.array([one["free"] for one in nodes], dtype=np.int64).reshape(len(nodes), len(resources)),
        start=np.array([one["start"] for one in nodes]),
        slowdown=np.array([one["slowdown"] for one in nodes]),
        until=np.array([one["until"] for one in nodes]),
        releases=(*releases, *(one for each in runs for one in releases_of(each, each.end))),
        gangs=tuple(gangs),
        someday=held_without_end(nodes, runs, resources),
        lasting=amounts(nodes, "lasting", resources),
        most_holding=most_holding,
        nominated=tuple(nominated),
        running=tuple(runs),
        budgets=tuple(budgets),
        forecasts=Forecasts(edges=np.array(edges), returns=np.array(returns)),
        kinds=np.array([one["kind"] for one in nodes], dtype=np.int64),
        open_ended=open_ended([each for each in runs if each.end == math.inf]),
    )


def open_ended(runs):
    """Name the gangs that run without an end, and their nodes."""
    held = [(number, holding.node) for number, each in enumerate(runs) for holding in each.holds]
    return OpenEnded(
        gangs=tuple(each.key for each in runs),
        holder=np.array([number for number, _ in held], dtype=np.int64),
        node=np.array([index for _, index in held], dtype=np.int64),
    )


def releases_of(gang, time):
    """List what a gang that runs gives back at a time, if ever."""
    return [Release(node=node, request=request, time=time) for node, request in gang.holds if time < math.inf]


def held_without_end(nodes, runs, resources):
    """Return what is held of each node for an unknown time: also by gangs."""
    held = amounts(nodes, "someday", resources)
    for each in runs:
        for index, request in each.holds if each.end == math.inf else ():
            held[index] += request
    return held


FOUR = [node(f"n{index}") for index in range(1, 5)]
"""Four nodes with one slot each."""


def decisions(nodes, *gangs, **facts):
    """Plan and list the decisions by the names of gangs."""
    return {decision.gang.name: decision for decision in plan(snapshot(nodes, gangs, **facts)).decisions}


def only(nodes, one, **facts):
    """Plan one gang and return the decision."""
    [decision] = decisions(nodes, one, **facts).values()
    return decision


def amounts(nodes, kind, resources):
    """Return what each node has of a kind: nothing by default."""
    return np.array([one[kind] or (0,) * len(resources) for one in nodes], dtype=np.int64)


def random_offer(rnd):
    start = Fraction(rnd.choice([0, 0, 0, 1, rnd.randint(0, 9)]), rnd.choice([1, 2]))
    slowdowns = sorted(Fraction(rnd.randint(1, 6), rnd.choice([1, 2, 3])) for _ in range(rnd.randint(1, 4)))
    if rnd.random() < 0.5:
        slowdowns = [slowdowns[0]] * rnd.randint(1, 5)
    return Offer(start, tuple(slowdowns), rnd.choice([None, None, Fraction(rnd.randint(1, 40), 2)]))


def random_job(rnd):
    return Job(
        pieces=rnd.randint(1, 7),
        seconds=Fraction(rnd.randint(1, 4), rnd.choice([1, 3])),
        per_member=rnd.choice([Fraction(0), Fraction(0), Fraction(1, 2), Fraction(2), Fraction(5)]),
        fixed=rnd.choice([Fraction(0), Fraction(1, 3)]),
    )


def as_node(offer):
    until = math.inf if offer.until is None else offer.until
    if len(set(offer.slowdowns)) > 1:
        return Node(start=offer.start, slowdowns=offer.slowdowns, until=until)
    return Node(
        start=offer.start, duty_cycle=offer.slowdowns[0] * 9 - 1, capacity=9, slots=len(offer.slowdowns), until=until
    )


GRAINS = (1, 3, 9)
"""Workstations of levels 0, 1 and 2 of every application of section 5.8.2."""


def rules(total, psi="1.2", *, require_gain=True):
    return AuctionRules(total=total, psi=Fraction(psi), require_gain=require_gain)


def times(*unit_times):
    return tuple(Fraction(time) for time in unit_times)


def arrive(name, *unit_times, levels=GRAINS):
    return Arrive(name=name, levels=levels, unit_times=times(*unit_times))


def auction(*order, exempt=()):
    return HoldAuction(order=order, exempt=exempt)


def moves(outcome):
    """Write the moves of an auction as tables do: action, who, from which to which level, and the donor's."""
    return [
        (int(move.kind), move.name, move.from_level, move.to_level)
        if move.donation is None
        else (
            *(int(move.kind), move.name, move.from_level, move.to_level),
            *(move.donation.name, move.donation.from_level, move.donation.to_level),
        )
        for move in outcome.moves
    ]
