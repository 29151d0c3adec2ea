"""Clusters whose nodes have one place each, and gangs of the groups a, b and c that share them."""

from dataclasses import replace

from coschedule.queue.problem.fair_shares import FairShares, ShareGroup
from coschedule.queue.problem.gangs import GangKey
from engine.builders import NOW, gang, node, running, shrinkable, snapshot

NODES = 6
LATER = NOW + 5000.0
NAMES = "abc"


def of(group, one):
    return replace(one, key=GangKey(group, one.key.name))


def shared(gangs, runs, *, used=(0.0, 10.0, 10.0), weights=(1.0, 1.0, 1.0), reclaims=True, nodes=NODES, now=NOW):
    """Describe a cluster of nodes with one place, whose groups are a, b, c and others without gangs."""
    held = dict.fromkeys(NAMES, 0)
    for run in runs:
        held[run.key.namespace] += sum(count for _, (count,) in run.holds)
    groups = [
        ShareGroup(name=name, weight=weight, used=use, namespaces=(name,), held=(held[name],))
        for name, weight, use in zip(NAMES, weights, used, strict=True)
    ]
    others = ShareGroup(name="others", weight=0.001)
    shares = FairShares(groups=(*groups, others), capacity=(nodes,), reclaims=reclaims)
    taken = {one for run in runs for one, _ in run.holds}
    facts = snapshot([node(f"n{one}", free=int(one not in taken)) for one in range(nodes)], gangs, runs=runs, now=now)
    return replace(facts, shares=shares)


def waiting(name="hot", group="a", **more):
    return of(group, gang(name, serial=60, **{"may_preempt": True, **more}))


def borrower(name, *nodes, group="b", **more):
    return of(group, running(name, *nodes, size=len(nodes), **more))


def elastic(name, *nodes, group="b", least=1, **more):
    sizes = [(size, LATER) for size in range(least, len(nodes))]
    return of(group, shrinkable(name, *nodes, sizes=sizes, **more))
