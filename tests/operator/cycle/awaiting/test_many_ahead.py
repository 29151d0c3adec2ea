"""Which gangs are planned ahead if more gangs wait for others than one plan has room for."""

from collections import Counter
from dataclasses import replace

from builders.served import gang
from coschedule import GangKey
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.belief.common.steps import at_once
from lockstep.belief.state import State
from lockstep.cycle.awaiting.ahead import MOST_AHEAD, choosing_ahead
from lockstep.facts.gang.status import ConditionFact

WAITS = ConditionFact("Planned", "False", "AwaitsOthers", "", 1, 0.0)


def waiting(name, *, of, after="first"):
    made = gang(name, spec={"after": [{"kind": "GangJob", "name": after}]})
    fact = parse_gang({**made, "metadata": {**made["metadata"], "namespace": of}}, None)
    return replace(fact, status=replace(fact.status, conditions=(WAITS,)))


def test_gangs_of_one_namespace_leave_room_to_those_of_others():
    state, awaiting = State(lambda: None), [waiting(f"g{number:03}", of="a") for number in range(300)]
    awaiting += [waiting("g", of="b"), waiting("h", of="b", after="g")]
    for one in awaiting:
        state.apply_gang(one)

    ahead = at_once(choosing_ahead(state, awaiting, {GangKey("a", "first"), GangKey("b", "first")}, 0.0))

    assert Counter(key.namespace for key in ahead) == {"a": MOST_AHEAD - 2, "b": 2}
