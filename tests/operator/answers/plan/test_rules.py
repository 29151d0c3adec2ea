"""The contention that prices members: answers count it as the operator does."""

from dataclasses import replace

from builders.facts import gang_fact, gang_spec
from coschedule import Reason
from lockstep.answers.plan.rules import contention_now
from lockstep.belief.state import State
from lockstep.cycle.planning.sizing import Contention
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.reasons import Condition
from lockstep.facts.runs.sweep_keys import sweep_key
from lockstep.facts.runs.sweep_run import SweepRun


def run(number):
    sweep = SweepRun(sweep=sweep_key("default", "s"), sweep_uid="s", number=number)
    return replace(gang_fact(f"s-{number}"), run=sweep)


def test_runs_of_a_sweep_count_once_and_refused_gangs_and_room_not_at_all():
    refused = ConditionFact(Condition.PLANNED, "False", Reason.NO_NODE_FITS, "", 1, 0.0)
    waiting = [
        gang_fact("a"),
        *(run(number) for number in range(3)),
        gang_fact("refused", status=GangStatus(conditions=(refused,))),
        gang_fact("room", spec=replace(gang_spec(), is_room=True)),
    ]

    assert contention_now(State(lambda: None), waiting, nodes=16) == Contention(waiting=2, running=0, nodes=16)
