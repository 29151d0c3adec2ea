"""Which gangs may change their size beside a plan, and which of them may grow."""

import math
from dataclasses import replace

import pytest

from coschedule import ChangeTerms, ElasticRun, GangKey, OpenEndedRun, SerialWork, Sizes
from lockstep.cycle.planning.decided import ElasticGangs, Unplanned
from lockstep.facts.sizing import Sizing

TERMS = ChangeTerms(120.0, 600.0)
FACTS = {"sizes": Sizes(minimum=1, maximum=8), "request": (1,), "nodes": (0, 1), "terms": TERMS}
OPEN = OpenEndedRun(key=GangKey("a", "open"), end=math.inf, priority=0, least=1, **FACTS)
KNOWN = ElasticRun(key=GangKey("a", "known"), end=100.0, created=0.0, work=SerialWork(serial=100), left=1.0, **FACTS)


@pytest.mark.parametrize(
    ("unplanned", "want"),
    [
        pytest.param(Unplanned(), 8, id="all gangs that wait are planned"),
        pytest.param(Unplanned(any=True), 2, id="others wait"),
        pytest.param(Unplanned(short_of_quota=frozenset("a")), 2, id="one of its namespace waits for a quota"),
        pytest.param(Unplanned(short_of_quota=frozenset("b")), 8, id="one of another namespace waits for a quota"),
    ],
)
def test_gang_of_unknown_end_grows_only_if_no_gang_outside_the_plan_waits(unplanned, want):
    open_ended, known = ElasticGangs.of([OPEN, KNOWN], {}, unplanned).runs

    assert (open_ended.sizes.minimum, open_ended.sizes.maximum) == (1, want)
    assert known == KNOWN


def test_gangs_that_get_the_fewest_members_grow_only_to_meet_a_deadline():
    late, kept = replace(KNOWN, deadline=50.0), dict.fromkeys((OPEN.key, KNOWN.key), Sizing.FEWEST)

    ruled = [ElasticGangs.of([run], {}, Unplanned(), kept).runs[0] for run in (OPEN, KNOWN, late)]

    assert ruled == [replace(OPEN, deadline=math.inf), replace(KNOWN, deadline=math.inf), late]
    assert ElasticGangs.of([OPEN, KNOWN], {}, Unplanned()).runs == [OPEN, KNOWN]


@pytest.mark.parametrize(
    ("run", "want"),
    [
        pytest.param(KNOWN, replace(KNOWN, sizes=Sizes(minimum=2, maximum=8), fewest=1), id="known end"),
        pytest.param(OPEN, OPEN, id="unknown end: it gives back what it grew by"),
        pytest.param(replace(KNOWN, asked=1), replace(KNOWN, asked=1), id="its owner asks for a size"),
    ],
)
def test_gang_that_is_to_be_fastest_shrinks_for_more_urgent_ones_only(run, want):
    assert ElasticGangs.of([run], {}, Unplanned(), {run.key: Sizing.FASTEST}).runs == [want]
