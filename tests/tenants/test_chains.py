"""What chains of thousands of gangs, each after the one before, cost the others."""

from dataclasses import replace

from builders.served import gang
from builders.work import instructions, instructions_of_steps
from coschedule import GangKey
from lockstep.cycle.awaiting.ahead import choosing_ahead
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.status import ConditionFact
from tenants.bounds import USUAL
from tenants.cluster import NOW, Cluster
from tenants.price import without
from tenants.shapes import NAMESPACE

GANGS = 5_000
SEEN_ONE_BY_ONE = 20
WAITS = ConditionFact("Planned", "False", "AwaitsOthers", "", 1, NOW)


def link(number, *, of=NAMESPACE):
    """A gang that waits for the next one; the last one can't run either."""
    made = gang(f"c{number}", uid=f"uid-of-c{number}", spec={"after": [{"kind": "GangJob", "name": f"c{number + 1}"}]})
    return {**made, "metadata": {**made["metadata"], "namespace": of}}


def chained():
    """A cluster with the chain, whose gangs say that they wait; and the instructions to see the first and last few."""
    cluster, steps = Cluster(), list[int]()
    for number in range(GANGS):
        if min(number, GANGS - 1 - number) < SEEN_ONE_BY_ONE:
            steps.append(instructions(lambda number=number: cluster.accept("gangjobs", link(number))))
        else:
            cluster.accept("gangjobs", link(number))
    for key in [*cluster.state.gangs]:
        one = cluster.state.gangs[key]
        if one.unmet:
            cluster.state.apply_gang(replace(one, status=replace(one.status, conditions=(WAITS,))))
    return cluster, steps


def test_no_step_is_longer_for_a_chain_and_a_plan_has_nothing_to_do_with_it():
    """To see a gang of it, to search it for rings, to choose what is planned ahead, and to see one of it end."""
    usual = [one.key for one in Cluster().waiting()]
    cluster, steps = chained()
    most, state = USUAL.largest.step * without().step, cluster.state

    rings, searched = instructions_of_steps(state.predecessors.finding_rings())
    awaiting = [one for one in state.gangs.values() if isinstance(one, AcceptedGang) and one.unmet]
    choosing, ahead = instructions_of_steps(choosing_ahead(state, awaiting, set(), NOW))
    last = GangKey(NAMESPACE, f"c{GANGS - 1}")
    known = instructions(lambda: state.predecessors.is_end_known(last))

    assert max(*steps, *rings, *choosing, known) < most
    assert (searched, len(awaiting), len(ahead)) == (GANGS, GANGS, 0)
    assert [one.key for one in cluster.waiting()] == usual


def test_end_that_thousands_wait_for_is_checked_in_a_step():
    """All of them name the same gang, and all but the last have recorded its end, for which they wait in vain."""
    cluster = Cluster()
    for number in range(GANGS):
        one = link(number)
        one["spec"]["after"] = [{"kind": "GangJob", "name": "first", "when": "Failed"}]
        if number < GANGS - 1:
            one["status"] = {"after": [{"kind": "GangJob", "name": "first", "uid": "u", "outcome": "Succeeded"}]}
        cluster.accept("gangjobs", one)

    known = cluster.state.predecessors.is_end_known
    assert not known(GangKey(NAMESPACE, "first"))
    assert instructions(lambda: known(GangKey(NAMESPACE, "first"))) < 1_000, "it is asked once for each of them"

    last = cluster.state.gangs[GangKey(NAMESPACE, f"c{GANGS - 1}")]
    cluster.state.remove_gang(last.key, last.uid)
    assert known(GangKey(NAMESPACE, "first"))
