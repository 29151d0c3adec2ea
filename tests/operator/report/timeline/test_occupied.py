"""Users of one namespace see their own bars, and of others only which places are occupied."""

import pytest

from coschedule import GangKey
from lockstep.report.timeline.bars import Bar, Stage
from lockstep.report.timeline.occupied import as_seen

OWN = GangKey("own", "mine")


def sees(gang):
    return gang.namespace == "own"


def bar(name, start, finish, *nodes, stage=Stage.PLACED, of="zebra"):
    return Bar(gang=GangKey(of, name), stage=stage, start=start, finish=finish, nodes=dict.fromkeys(nodes, 2))


def occupied(*bars):
    """(start, finish, nodes) of the bars that name nothing."""
    return [(one.start, one.finish, sorted(one.nodes)) for one in as_seen(bars, sees) if one.stage is Stage.OTHERS]


def test_own_bars_stay_whole_and_those_of_others_have_neither_name_nor_size():
    mine, theirs = bar("mine", 0, 600, "n1", of="own"), bar("okapi", 0, 600, "n2")

    own, other = as_seen([theirs, mine], sees)

    assert own is mine
    assert (other.gang, other.stage, other.size) == (GangKey("", ""), Stage.OTHERS, 0)


@pytest.mark.parametrize(
    ("spans", "want"),
    [
        pytest.param([(0, 600), (300, 900)], [(0, 900, ["n1"])], id="overlapping"),
        pytest.param([(0, 600), (600, 900)], [(0, 900, ["n1"])], id="one after the other"),
        pytest.param([(0, 600), (1200, 1500)], [(0, 600, ["n1"]), (1200, 1500, ["n1"])], id="apart"),
        pytest.param([(0, None), (600, 900)], [(0, None, ["n1"])], id="within one of unknown end"),
        pytest.param([(0, 600), (300, None)], [(0, None, ["n1"])], id="into one of unknown end"),
        pytest.param([(1, 299)], [(0, 300, ["n1"])], id="coarse times"),
    ],
)
def test_places_of_several_gangs_are_one(spans, want):
    assert occupied(*(bar(f"g{number}", *span, "n1") for number, span in enumerate(spans))) == want


def test_places_with_equal_times_are_one_bar_over_their_nodes():
    assert occupied(bar("a", 0, 600, "n1"), bar("b", 0, 600, "n2")) == [(0, 600, ["n1", "n2"])]


@pytest.mark.parametrize("stage", [Stage.PLANNED, Stage.HOLDS, Stage.ENDED])
def test_plans_and_the_past_of_others_are_not_seen(stage):
    assert occupied(bar("okapi", 0, 600, "n1", stage=stage)) == []
