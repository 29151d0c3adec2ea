"""Which pods of a Gang wait, which are on nodes, and which seats they have."""

import pytest

from builders.facts import pod_fact
from builders.pod_gangs import waiting_pod
from lockstep.api.pool import ALL_NODES
from lockstep.belief.podgangs.pod_gangs import PodGangs
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.pod_gang import GroupMember, grouped
from lockstep.facts.pods.pod import Membership, PodPhase

HEAT, OTHER = pod_gang_key("default", "heat"), pod_gang_key("default", "other")


def waits(name, *, gang=HEAT, index=-1):
    """A pod of a Gang that waits for a node."""
    return grouped(pod_fact(name), GroupMember(gang, None, waiting_pod(name, index=index)))


def runs(name, rank=None, **more):
    """A pod of the Gang heat on a node, with the seat of a rank if that is given."""
    seat = None if rank is None else Membership(HEAT, "uid-of-heat", 1, rank)
    return grouped(pod_fact(name, node="n1", **{"phase": PodPhase.RUNNING, **more}), GroupMember(HEAT, seat, None))


def gangs_of(*pods):
    """The Gangs of these pods, and the keys of those that changed."""
    changed = []
    gangs = PodGangs(changed.append, ALL_NODES, {}, lambda: None)
    for pod in pods:
        gangs.enter(pod)
    return gangs, changed


def test_each_gang_has_its_own_pods():
    gangs, changed = gangs_of(waits("a"), waits("b", gang=OTHER))

    assert [pod.key.name for pod in gangs.group(HEAT).pods.values()] == ["a"]
    assert changed == [HEAT, OTHER]


@pytest.mark.parametrize(
    ("pod", "want_going"),
    [
        pytest.param(runs("a", 0), 1, id="we bound it, and it runs"),
        pytest.param(runs("a", 0, phase=PodPhase.PENDING), 1, id="we bound it"),
        pytest.param(runs("a", 0, phase=PodPhase.SUCCEEDED), 0, id="it has succeeded"),
        pytest.param(runs("a", 0, phase=PodPhase.FAILED), 0, id="it has failed"),
        pytest.param(runs("a", 0, deleting=True), 0, id="it is being deleted"),
        pytest.param(runs("a"), 0, id="another bound it"),
        pytest.param(waits("a"), 0, id="it waits"),
    ],
)
def test_pods_count_as_going_while_they_are_on_nodes(pod, want_going):
    gangs, _ = gangs_of(pod)

    assert gangs.group(HEAT).going == want_going


def test_seats_are_those_of_bound_pods_even_after_their_end():
    gangs, _ = gangs_of(runs("a", 0), runs("b", 1, phase=PodPhase.SUCCEEDED), runs("c"), waits("d"))

    assert sorted((seat.rank, pod.node) for seat, pod in gangs.seats(HEAT)) == [(0, "n1"), (1, "n1")]


def test_newer_fact_of_a_pod_takes_the_place_of_the_older():
    gangs, _ = gangs_of(waits("a"), runs("a", 0))

    assert (len(gangs.group(HEAT).pods), gangs.group(HEAT).waiting, gangs.group(HEAT).going) == (1, 0, 1)


def test_pods_that_leave_are_forgotten_and_their_gang_is_reconciled():
    gangs, changed = gangs_of(waits("a"))

    gangs.leave(waits("a"))
    gangs.leave(waits("b"))

    assert not gangs.group(HEAT).pods
    assert changed == [HEAT] * 3


def test_pods_of_no_gang_change_nothing():
    gangs, changed = gangs_of(pod_fact("a"))

    gangs.leave(pod_fact("a"))

    assert changed == []
