"""What members that request less CPU count for on their nodes, whichever of pod and gang came first."""

from dataclasses import replace
from itertools import permutations

import pytest

from builders.facts import gang_fact, gang_spec, member_fact, node_fact, pod_fact, reservation, role_spec
from coschedule import Members
from lockstep.belief.state import State
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.pace import ContainerCpu, Cpu, MemberCpu, Pace, PaceStatus, Unpaced
from lockstep.facts.pods.pod import PodPhase

FULL = (("cpu", 4000), ("pods", 1), ("slots", 1))
LESS = (("cpu", 1500), ("pods", 1), ("slots", 1))
ALONE = (Members("n1", 1),)
HAD = (Unpaced("", "main", Cpu(4000, None)),)


def member(rank=0, *, cpu=1500, node="n1", request=LESS, **more):
    made = member_fact(rank=rank, node=node, phase=PodPhase.RUNNING, request=request)
    return replace(made, cpu=MemberCpu(containers=(ContainerCpu("main", Cpu(cpu, None)),), **more))


def paced(*roles, pace=Pace.SHARE, unpaced=HAD, members=ALONE, version="2"):
    status = GangStatus(
        attempt=1,
        reserved_at=0.0,
        start=0.0,
        members=members,
        pace=PaceStatus(members=1, paced=1, given_back=2500, message="", unpaced=unpaced),
    )
    spec = replace(gang_spec(size=1, roles=roles) if roles else gang_spec(size=1, request=FULL), pace=pace)
    return gang_fact("g", spec=spec, status=status, version=version)


def committed(state, node="n1"):
    rows = state.ledger.rows((node,))
    return int(state.ledger.committed(rows, state.ledger.columns(("cpu",)))[0, 0])


def after(*facts):
    """The CPU that is taken once these facts have come."""
    state = State(lambda: None)
    for fact in facts:
        fact(state)
    return committed(state)


def applied(gang=None, pod=None):
    return (lambda state: state.apply_gang(gang)) if gang else (lambda state: state.apply_pod(pod))


@pytest.mark.parametrize(
    ("pace", "want"),
    [(Pace.SHARE, 4000), (Pace.NONE, 4000), (Pace.LOCAL, 1500)],
)
def test_only_a_local_pace_gives_room_whichever_fact_comes_first(pace, want):
    facts = [
        lambda state: state.nodes.apply(node_fact("n1")),
        applied(gang=paced(pace=pace)),
        applied(pod=member()),
    ]

    assert {after(*order) for order in permutations(facts)} == {want}


def test_pace_of_now_counts_when_members_are_counted_again():
    state = State(lambda: None)
    for fact in (applied(gang=paced()), applied(pod=member())):
        fact(state)
    state.apply_gang(paced(pace=Pace.LOCAL, version="3"))

    for pod in state.pods_of(reservation("g", members=[("n1", 1)])):
        state.pods.count_again(pod)

    assert committed(state) == 1500


@pytest.mark.parametrize(
    ("pod", "want"),
    [
        pytest.param(member(beside=500, request=(("cpu", 2000),)), 4500, id="a sidecar beside"),
        pytest.param(member(least=5000, request=(("cpu", 5000),)), 5000, id="a larger init container"),
        pytest.param(member(cpu=4000, request=FULL), 4000, id="unpaced"),
        pytest.param(member(cpu=1500, request=FULL), 4000, id="not in force yet"),
        pytest.param(replace(member(), request=(("cpu", 5000),)), 5000, id="more than it had"),
    ],
)
def test_what_is_kept_is_what_the_whole_pod_requested(pod, want):
    assert after(applied(gang=paced()), applied(pod=pod)) == want


def test_pods_of_others_and_of_former_attempts_count_as_they_are():
    former = replace(member(), member=member().member._replace(attempt=9))
    other = pod_fact(node="n1", request=LESS)

    assert after(applied(gang=paced()), applied(pod=former)) == 1500 + 4000
    assert after(applied(gang=paced()), applied(pod=other)) == 1500 + 4000


def test_members_of_several_roles_keep_what_their_role_had():
    roles = [role_spec("a", size=1, request=LESS), role_spec("b", size=1, request=FULL)]
    unpaced = (Unpaced("a", "main", Cpu(1600, None)), Unpaced("b", "main", Cpu(4000, None)))
    state = State(lambda: None)
    state.apply_gang(paced(*roles, unpaced=unpaced, members=(Members("n1", 1, role="a"), Members("n2", 1, role="b"))))
    state.apply_pod(member(0, node="n1"))
    state.apply_pod(member(1, node="n2"))

    assert (committed(state, "n1"), committed(state, "n2")) == (1600, 4000)


def test_members_without_roles_have_one_that_is_empty():
    held = reservation("g", members=[("n1", 2), ("n2", 1)])

    assert [held.role_of(rank) for rank in held.ranks] == [""] * 3


@pytest.mark.parametrize("gapped", [None, 0b1011010], ids=["all ranks", "with gaps"])
def test_every_rank_has_its_role(gapped):
    held = reservation("g", members=[("n1", 2), ("n2", 1), ("n3", 1)])
    entries = tuple(replace(entry, role=role) for entry, role in zip(held.members, "aba", strict=True))
    held = replace(held, members=entries, requests={"a": LESS, "b": FULL}, gapped=gapped)

    assert {rank: held.role_of(rank) for rank in held.ranks} == dict(held.roles())
