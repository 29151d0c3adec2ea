"""Bars on one node, stacked, beside counting who is there at every instant."""

from hypothesis import given
from hypothesis import strategies as st

from coschedule import GangKey
from lockstep.report.timeline.bars import Bar, Stage
from lockstep.report.timeline.lanes import lanes

SPANS = st.lists(
    st.tuples(st.integers(0, 12), st.one_of(st.none(), st.integers(1, 6))), max_size=12
)  # start, length; None where nobody knows how long


def bar(number, start, length):
    finish = None if length is None else float(start + length)
    return Bar(gang=GangKey("default", f"g{number}"), stage=Stage.PLACED, start=float(start), finish=finish, nodes={})


def is_there(one, time):
    return one.start <= time and (one.finish is None or time < one.finish)


@given(SPANS)
def test_lanes_are_shared_by_none_that_meet_and_are_as_few_as_can_be(spans):
    bars = [bar(number, *span) for number, span in enumerate(spans)]

    chosen = lanes(bars)

    at_once = [[lane for one, lane in zip(bars, chosen, strict=True) if is_there(one, time)] for time in range(20)]
    assert all(len(set(taken)) == len(taken) for taken in at_once)
    assert len(set(chosen)) == max(map(len, at_once))
    assert set(chosen) == set(range(len(set(chosen))))


def test_bar_that_ended_before_it_began_takes_a_lane_of_its_own():
    assert lanes([bar(1, 5, -2), bar(2, 5, 3)]) == [0, 1]
