"""The seats of a reserved Gang: which pods take them, and that their room is kept until then."""

import pytest

from builders.facts import pod_fact
from builders.pod_gangs import group_of, pod_gang, reserving, waiting_pod
from lockstep.api.pool import ALL_NODES
from lockstep.belief.holding.reservation import reserved_in_status
from lockstep.belief.podgangs.composing import composed
from lockstep.belief.state import State
from lockstep.facts.gang.pod_gang import GroupMember, grouped
from lockstep.facts.pods.pod import Membership, PodPhase

[ROLE] = composed(pod_gang(2), group_of([waiting_pod("a"), waiting_pod("b")]), ALL_NODES).spec.roles
GANG = pod_gang(2, status=reserving(**{ROLE.name: 2}))
CPU = (("cpu", 1000),)


@pytest.fixture
def state():
    """A Gang with two seats on node n1, for which two pods wait."""
    state = State(lambda: None)
    for name in "ab":
        state.apply_pod(grouped(pod_fact(name), GroupMember(GANG.key, None, waiting_pod(name))))
    state.pod_gang_facts.apply(GANG)
    return state


def on_node(name, node, rank):
    """A pod whose annotations say that it has the seat of that rank."""
    seat = Membership(GANG.key, GANG.uid, 1, rank)
    fact = pod_fact(name, node=node, phase=PodPhase.RUNNING, request=CPU)
    return grouped(fact, GroupMember(GANG.key, seat, None))


def committed(state, node):
    return int(state.ledger.committed(state.ledger.rows((node,)), state.ledger.columns(("cpu",)))[0, 0])


def seated(state):
    return state.counts.seats.bound(reserved_in_status(state.gangs[GANG.key]))


def test_pod_on_the_node_of_its_seat_takes_the_place_of_the_seat(state):
    state.apply_pod(on_node("a", "n1", 0))

    assert seated(state) == {0}
    assert committed(state, "n1") == 2000


def test_pod_on_another_node_takes_no_seat_whatever_its_annotations_say(state):
    state.apply_pod(on_node("forged", "n2", 0))

    assert seated(state) == set()
    assert (committed(state, "n1"), committed(state, "n2")) == (2000, 1000)


def test_seats_without_a_reservation_do_not_matter(state):
    state.apply_pod(on_node("forged", "n1", 7))

    assert seated(state) == set()
    assert committed(state, "n1") == 3000


def test_seats_count_with_what_their_pods_request_when_these_come_after_their_gang():
    state = State(lambda: None)
    state.pod_gang_facts.apply(GANG)
    for name in "ab":
        state.apply_pod(grouped(pod_fact(name), GroupMember(GANG.key, None, waiting_pod(name))))

    state.pod_gang_facts.renew(GANG.key)

    assert committed(state, "n1") == 2000
    state.apply_pod(on_node("a", "n1", 0))
    state.pod_gang_facts.renew(GANG.key)
    assert committed(state, "n1") == 2000
