"""Records of one gang are joined to the same record, in whatever order they come, and how often."""

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.records import record, stretch
from lockstep.facts.records.gang_record import GangOutcome, merged

TIMES = st.none() | st.integers(1, 3)
STRETCHES = st.builds(
    stretch,
    st.integers(1, 2),
    st.integers(1, 2),
    ended=TIMES,
    members=st.integers(0, 2),
    reason=st.sampled_from(["", "Preempted", "Succeeded"]),
    lost=st.integers(0, 2),
    kinds=st.sampled_from([(), (("fast", 1),), (("slow", 2),)]),
)
RECORDS = st.builds(
    lambda stretches, **more: merged(record("u", *stretches, **more), record("u", **more)),
    st.lists(STRETCHES, max_size=3),
    ended=TIMES,
    outcome=st.sampled_from([*GangOutcome]),
    started=TIMES,
    attempts=st.integers(0, 2),
    user=st.sampled_from(["", "ada"]),
)


@given(one=RECORDS, other=RECORDS, third=RECORDS)
def test_order_and_repetition_of_records_change_nothing(one, other, third):
    want_all = reduce(merged, (one, other, third))

    assert reduce(merged, (third, one, other, one, third)) == want_all
    assert merged(one, merged(other, third)) == want_all
    assert merged(one, one) == one


@pytest.mark.parametrize(
    ("first", "then", "want"),
    [
        pytest.param((GangOutcome.OPEN, None), (GangOutcome.UNKNOWN, 5), GangOutcome.UNKNOWN, id="it is gone"),
        pytest.param(
            (GangOutcome.UNKNOWN, 5), (GangOutcome.FAILED, 4), GangOutcome.FAILED, id="the end was observed after all"
        ),
        pytest.param(
            (GangOutcome.SUCCEEDED, 5), (GangOutcome.OPEN, None), GangOutcome.SUCCEEDED, id="an old record comes late"
        ),
        pytest.param(
            (GangOutcome.SUCCEEDED, 5), (GangOutcome.FAILED, 9), GangOutcome.FAILED, id="it ran again after a restore"
        ),
        pytest.param(
            (GangOutcome.DELETED, 5), (GangOutcome.SUCCEEDED, 5), GangOutcome.SUCCEEDED, id="both in one second"
        ),
    ],
)
def test_observed_end_counts_before_an_unknown_one_and_a_later_before_an_earlier(first, then, want):
    one, other = (record("u", outcome=outcome, ended=ended) for outcome, ended in (first, then))

    assert merged(one, other).outcome is merged(other, one).outcome is want


def test_amounts_that_one_process_did_not_know_are_those_of_the_other():
    known = stretch(millicores=8000, gpus=2, kinds=(("fast", 2),))
    over = stretch(millicores=0, ended=2000, reason="Preempted", preemptor="default/urgent")

    [joined] = merged(record("u", known), record("u", over)).stretches

    assert (joined.millicores, joined.gpus, joined.kinds) == (8000, 2, (("fast", 2),))
    assert (joined.ended, joined.preemptor) == (2000, "default/urgent")
