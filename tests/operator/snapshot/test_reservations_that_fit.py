"""Whether what a reservation holds would still be planned so, and why not."""

from dataclasses import replace

import pytest

from builders.facts import (
    bid_fact,
    gang_fact,
    gang_spec,
    member_fact,
    node_fact,
    pod_fact,
    reservation,
    role_spec,
    volume_fact,
    volume_request,
)
from coschedule import Constraints, Taint, Toleration
from lockstep.belief.state import State
from lockstep.belief.volumes.storage import NO_PROVISIONER
from lockstep.facts.cluster.volume import AttachLimits, ClaimUse, Sharing, StorageClass
from lockstep.facts.pods.pod import PodPhase
from lockstep.report.text.conflict_sentences import conflict_sentence
from lockstep.snapshot.snapshots import SnapshotCutter

NOW = 1000.0


@pytest.fixture
def state():
    return State(lambda: None)


def conflict(state, gang=None, *, finish=NOW + 100, **more):
    """In words, why a reservation would not be planned so."""
    found = SnapshotCutter(state).conflict(gang or gang_fact(), reservation(start=NOW, finish=finish, **more), NOW)
    return None if found is None else conflict_sentence(found)


@pytest.fixture
def two_nodes(state):
    for name in ("n1", "n2"):
        state.nodes.apply(node_fact(name, cpu=2000))
    return state


def test_reservation_that_would_be_planned_so_fits(two_nodes):
    assert conflict(two_nodes) is None


def test_what_a_reservation_holds_itself_does_not_count_against_it(two_nodes):
    two_nodes.assumptions.hold(reservation(members=(("n1", 2), ("n2", 2))))
    two_nodes.apply_pod(member_fact(rank=0, node="n1", phase=PodPhase.RUNNING))

    assert conflict(two_nodes, members=(("n1", 2), ("n2", 2))) is None


def test_member_that_has_ended_needs_no_room(two_nodes):
    two_nodes.apply_pod(member_fact(rank=0, node="n1", phase=PodPhase.SUCCEEDED))
    two_nodes.apply_pod(pod_fact("foreign", node="n1", request=(("cpu", 2000),)))

    assert conflict(two_nodes) is None


def tolerant(seconds):
    """A gang that tolerates the taint leaving for so long."""
    toleration = Toleration("leaving", "Exists", "", "NoExecute", seconds)
    return gang_fact(spec=gang_spec(roles=(replace(role_spec(), constraints=Constraints(tolerations=(toleration,))),)))


def test_node_that_evicts_the_members_before_they_have_ended_does_not_fit(two_nodes):
    two_nodes.nodes.apply(node_fact("n2", cpu=2000, taints=[Taint("leaving", "", "NoExecute")]))

    assert conflict(two_nodes, tolerant(100.0)) is None
    want = "a taint of n2 evicts members after 1 min 39 s, and the gang ends in 1 min 40 s"
    assert conflict(two_nodes, tolerant(99.0)) == want
    want = "a taint of n2 evicts members after 24 h, and the gang states no run time"
    assert conflict(two_nodes, tolerant(86_400.0), finish=None) == want


@pytest.mark.parametrize(
    ("change", "want"),
    [
        pytest.param(
            lambda state: state.nodes.remove("n2"),
            "there is no node n2",
            id="gone",
        ),
        pytest.param(
            lambda state: state.nodes.apply(node_fact("n2", cordoned=True)),
            "its constraints do not hold on n2: cordoned",
            id="cordoned",
        ),
        pytest.param(
            lambda state: [state.nodes.apply(node_fact(name, ready=False)) for name in ("n1", "n2")],
            "its constraints do not hold on n1, n2: not ready",
            id="not ready",
        ),
        pytest.param(
            lambda state: state.nodes.apply(node_fact("n1", taints=[Taint("pool", "x", "NoSchedule")])),
            "its constraints do not hold on n1: with the untolerated taint pool=x:NoSchedule",
            id="tainted",
        ),
        pytest.param(
            lambda state: state.apply_pod(pod_fact("p", node="n2", request=(("cpu", 1001),))),
            "n2 has room for 0 of 1 members: it is short of cpu",
            id="full",
        ),
        pytest.param(
            lambda state: state.nodes.apply(node_fact("n1", cpu=999)),
            "n1 has room for 0 of 1 members: it is short of cpu",
            id="shrunk",
        ),
        pytest.param(
            lambda state: state.bids.apply(bid_fact("n1", since=NOW + 5)),
            "n1 is not open to gangs now",
            id="not open yet",
        ),
        pytest.param(
            lambda state: state.bids.apply(bid_fact("n1", until=NOW)),
            "n1 is not open to gangs now",
            id="taken back",
        ),
        pytest.param(
            lambda state: state.bids.apply(bid_fact("n1", until=NOW + 99)),
            "n1 is open for only 1 min 39 s more, and the gang ends in 1 min 40 s",
            id="taken back before the end",
        ),
    ],
)
def test_reservation_that_would_not_be_planned_so_says_why(two_nodes, change, want):
    change(two_nodes)

    assert conflict(two_nodes) == want


def test_reservation_leaves_room_to_pods_as_urgent_as_its_gang(two_nodes):
    two_nodes.apply_pod(pod_fact("urgent", nominated="n2", request=(("cpu", 1500),), priority=0))
    two_nodes.apply_pod(pod_fact("patient", nominated="n1", request=(("cpu", 1500),), priority=-1))

    assert conflict(two_nodes) == "n2 has room for 0 of 1 members: it is short of cpu"


def test_gang_of_unknown_run_time_fits_no_node_that_is_taken_back(two_nodes):
    two_nodes.bids.apply(bid_fact("n1", until=NOW + 500))

    assert conflict(two_nodes, finish=None) == "n1 is open for only 8 min 20 s more, and the gang states no run time"


def with_volumes(state, *, limit, volumes=1):
    """A gang whose members have so many volumes each, of a driver that attaches ``limit`` of them to n1."""
    state.claims.storage.classes.apply(StorageClass("disk", "disk.example.com", waits=True))
    state.attachments.apply_limits(AttachLimits("n1", {"disk.example.com": limit}))
    wanted = volume_request(storage_class="disk", mode="ReadWriteOnce")
    claims = tuple(ClaimUse("field", f"data{number}", Sharing.KEPT, wanted) for number in range(volumes))
    gang = gang_fact(spec=gang_spec(claims=claims))
    state.apply_gang(gang)
    return gang


def test_members_whose_volumes_can_be_attached_fit(two_nodes):
    gang = with_volumes(two_nodes, limit=2)

    assert conflict(two_nodes, gang, members=(("n1", 2),)) is None
    assert conflict(two_nodes, gang, members=(("n2", 2),)) is None


def test_members_whose_volumes_can_no_longer_be_attached_do_not_fit(two_nodes):
    gang = with_volumes(two_nodes, limit=3, volumes=2)

    want = "n1 has room for 1 of 2 members: it is short of volumes of disk.example.com"
    assert conflict(two_nodes, gang, members=(("n1", 2),)) == want


def test_members_for_whose_claims_there_are_too_few_volumes_do_not_fit(two_nodes):
    two_nodes.claims.storage.classes.apply(StorageClass("local", NO_PROVISIONER, waits=True))
    two_nodes.claims.apply_volume(volume_fact(on=["n1"]))
    spec = gang_spec(claims=(ClaimUse("field", "data", Sharing.KEPT, volume_request(mode="ReadWriteOnce")),))
    gang = gang_fact(spec=spec)
    two_nodes.apply_gang(gang)

    assert conflict(two_nodes, gang, members=(("n1", 1),)) is None
    want = "n1 has room for 1 of 2 members: it is short of volumes of its claims"
    assert conflict(two_nodes, gang, members=(("n1", 2),)) == want
