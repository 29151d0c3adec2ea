"""Bars on one node, stacked, beside counting who is there at every instant."""

from hypothesis import given
from hypothesis import strategies as st

from lockstep.report.timeline.lanes import lanes

SPANS = st.lists(
    st.tuples(st.integers(0, 12), st.one_of(st.none(), st.integers(1, 6))), max_size=12
)  # start, length; None where the length is unknown


def span_of(start, length):
    return float(start), None if length is None else float(start + length)


def is_there(span, time):
    start, finish = span
    return start <= time and (finish is None or time < finish)


@given(SPANS)
def test_lanes_are_shared_by_none_that_meet_and_are_as_few_as_can_be(spans):
    times = [span_of(*span) for span in spans]

    chosen = lanes(times)

    at_once = [[lane for one, lane in zip(times, chosen, strict=True) if is_there(one, time)] for time in range(20)]
    assert all(len(set(taken)) == len(taken) for taken in at_once)
    assert len(set(chosen)) == max(map(len, at_once))
    assert set(chosen) == set(range(len(set(chosen))))


def test_bar_that_ended_before_it_began_takes_a_lane_of_its_own():
    assert lanes([span_of(5, -2), span_of(5, 3)]) == [0, 1]
