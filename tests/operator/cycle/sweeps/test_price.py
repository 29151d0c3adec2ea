"""A sweep counts once in the price of a member-second."""

from dataclasses import replace

from builders.served import gang
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.cycle.planning.sizing import number_waiting
from lockstep.facts.runs.sweep_keys import sweep_key
from lockstep.facts.runs.sweep_run import SweepRun


def test_waiting_runs_of_a_sweep_count_once():
    """Gangs of no sweep, and those of other sweeps, count each."""
    alone = [parse_gang(gang(name), None) for name in ("a", "b")]
    runs = [
        replace(one, run=SweepRun(sweep=sweep_key("default", name), sweep_uid=name, number=number))
        for name in ("s", "t")
        for number, one in enumerate(alone)
    ]

    assert number_waiting(alone) == 2
    assert number_waiting([*alone, *runs]) == 4
