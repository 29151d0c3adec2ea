"""What a usage of the processors means for members: a member that takes t alone takes (1 + duty cycle) * t."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.usage import usage
from lockstep.agent.measuring.duty_cycle import duty_cycle_of, is_full, lost_share


@pytest.mark.parametrize(
    ("used", "requested", "want"),
    [
        pytest.param(usage(), 0, 0, id="no other load is there"),
        pytest.param(usage(gang=6, host=2), 0, 2 / 6, id="on a full node it is local work per unit of gang work"),
        pytest.param(usage(gang=1, host=2), 0, 2 / 6, id="members that leave processors idle would get those too"),
        pytest.param(usage(host=2), 0, 2 / 6, id="without members, what those that fill the node would meet"),
        pytest.param(usage(gang=6, steal=2), 0, 2 / 6, id="what the hypervisor takes is as lost"),
        pytest.param(usage(pods=4, gang=4), 4, 0, id="what other pods have requested is not planned for gangs anyway"),
        pytest.param(usage(pods=1, gang=4), 4, 0, id="what they leave of it slows no member down"),
        pytest.param(usage(pods=6, gang=2), 4, 1, id="what they use beyond it does"),
        pytest.param(usage(host=8), 0, 1, id="who comes to a node full of local work gets a fair share"),
        pytest.param(usage(host=7, gang=1), 0, 7, id="unless members are seen to get less"),
    ],
)
def test_duty_cycle(used, requested, want):
    assert duty_cycle_of(lost_share(used, requested)) == pytest.approx(want)


@pytest.mark.parametrize("requested", [8, 10**30])
def test_node_of_which_nothing_is_left_has_none(requested):
    assert lost_share(usage(), requested) is None


def test_duty_cycle_is_never_more_than_a_bid_can_say():
    assert duty_cycle_of(1.0) == 1000
    assert duty_cycle_of(1 - 1e-12) == 1000


def test_node_is_full_when_next_to_nothing_is_free():
    assert is_full(usage(gang=6, host=2))
    assert not is_full(usage(gang=6, host=1))


@given(st.lists(st.floats(0, 2), min_size=4, max_size=4), st.floats(-1, 10))
def test_lost_share_is_a_share(parts, requested):
    lost = lost_share(usage(gang=parts[0], pods=parts[1], host=parts[2], steal=parts[3]), requested)

    assert lost is None or 0 <= lost <= 1
