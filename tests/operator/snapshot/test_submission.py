"""Since when a gang waits: its speed-up is the same however often it is planned."""

from dataclasses import replace

import pytest

from builders.facts import bid_fact, gang_fact, gang_spec, node_fact
from coschedule import SerialWork, plan
from lockstep.belief.state import State
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.reasons import Condition, Reason
from lockstep.snapshot.snapshots import SnapshotCutter
from lockstep.snapshot.submission import requested_at

NOW = 1000.0
WAITING = gang_fact("g", created=NOW)


def with_status(**status):
    return replace(WAITING, status=GangStatus(**status))


def suspended(value):
    return ConditionFact(Condition.SUSPENDED, value, Reason.GANG_RESUMED, "", 1, NOW + 60)


@pytest.mark.parametrize(
    ("gang", "now", "want"),
    [
        pytest.param(WAITING, NOW + 1.5, NOW + 1.5, id="submitted within the last whole second"),
        pytest.param(WAITING, NOW + 90, NOW, id="waits"),
        pytest.param(WAITING, NOW - 5, NOW - 5, id="of a clock that is ahead"),
        pytest.param(with_status(conditions=(suspended("False"),)), NOW + 90, NOW + 60, id="resumed"),
        pytest.param(with_status(progress="0"), NOW + 90, NOW, id="that has begun anew"),
        pytest.param(with_status(progress="0.5"), NOW + 90, NOW + 90, id="of whose work a part is done"),
    ],
)
def test_waiting_counts_from(gang, now, want):
    assert requested_at(gang, now) == want


def test_speedup_of_a_gang_that_waits_is_the_same_at_every_plan():
    state = State(lambda: None)
    state.nodes.apply(node_fact("n1"))
    state.bids.apply(bid_fact("n1", since=NOW + 100))
    gang = gang_fact("g", created=NOW, spec=gang_spec(size=4, work=SerialWork(serial=240.0)))

    planned = [plan(SnapshotCutter(state).cut(NOW + after, [gang])).decisions[0] for after in (10, 60, 99)]

    assert [(one.finish, one.speedup) for one in planned] == [(NOW + 160, 240 / 160)] * 3
