"""A gang that may change its size on four nodes, beside gangs that wait."""

import math

from coschedule.model.run_times import SerialWork
from coschedule.queue.constraints.terms import Constraints, NodeTerm, Requirement
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.nodes import Release
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.sized_run import ChangeTerms
from coschedule.resizing.resize import resize
from engine.builders import FOUR, NOW, gang, node, snapshot

TERMS = ChangeTerms(restart_time=120.0, min_interval=600.0)
SHORT = gang("short", serial=60, size=1, most=2, created=NOW)


def elastic(*nodes, least=1, most=4, serial=80_000.0, changed=-math.inf):
    """Describe a gang that runs on these nodes, of whose work nothing is done yet."""
    return ElasticRun(
        key=GangKey("default", "run"),
        created=NOW,
        sizes=Sizes(minimum=least, maximum=most),
        request=(1,),
        work=SerialWork(serial=serial),
        left=1.0,
        nodes=nodes,
        end=NOW + serial / len(nodes),
        terms=TERMS,
        changed=changed,
    )


def resized(run, *gangs, elastic=("short",)):
    """Resize on four nodes that the run does not hold."""
    free = [node(one["name"], free=int(index not in run.nodes)) for index, one in enumerate(FOUR)]
    releases = [Release(node=index, request=(1,), time=run.end) for index in run.nodes]
    waiting = {GangKey("default", name): TERMS for name in elastic}
    return resize(snapshot(free, gangs, releases=releases), [run], waiting)


def planned(result):
    """Return when the plan starts each gang."""
    return {decision.gang.name: decision.start for decision in result.plan.decisions}


def sizes(result):
    """Return the sizes to which gangs change, or with which they start."""
    return {one.gang.name: len(one.nodes) for one in (*result.sizes.changes, *result.sizes.starts)}


def only(*names):
    """Require a node of one of these names."""
    fields = [Requirement("metadata.name", "In", (name,)) for name in names]
    return Constraints(affinity=tuple(NodeTerm(labels=(), fields=(field,)) for field in fields))
