"""The server of answers plans by the options that the operator has published."""

import pytest

from coschedule import Promises
from lockstep.cli.answers import state_and_rules
from lockstep.facts.gang.source import Source
from lockstep.facts.sizing import Sizing


def test_published_options_are_those_of_the_plan():
    published = {
        "sizing": "Fewest",
        "promises": "EASY",
        "keep-nodes-free-for": "90s",
        "node-selector": "pool=gangs",
        "pool-taint": "pool=gangs:NoSchedule owned:NoExecute",
        "sources": "pods,job",
        "of-a-later-version": "1",
    }

    state, rules = state_and_rules(published)

    assert (rules.sizing.sizing, rules.promises, rules.holds.seconds) == (Sizing.FEWEST, Promises.EASY, 90)
    assert state.pool.selector == (("pool", "gangs"),)
    assert len(state.pool.taints) == 2
    assert state.sources == {Source.PODS, Source.JOB}


def test_each_plan_has_a_cache_of_its_own():
    assert state_and_rules({})[0] is not state_and_rules({})[0]


def test_options_of_no_sense_are_refused():
    with pytest.raises(ValueError, match="Huge"):
        state_and_rules({"sizing": "Huge"})
