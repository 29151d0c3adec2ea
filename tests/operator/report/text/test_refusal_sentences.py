"""Why a gang fits nowhere: the reason, and a sentence whose numbers are true."""

import inspect
import math

import pytest

import coschedule
from coschedule import (
    Blocker,
    Constraints,
    ConstraintsTooLong,
    GangKey,
    HeldByGangsInFront,
    NodeTerm,
    NoDomainFits,
    NoNodeFits,
    NoRoomTogether,
    NotEnoughRoom,
    OfRole,
    Reason,
    Refusal,
    Requirement,
    Scarcest,
    Taint,
    Toleration,
    TooLittle,
    TooManyCombinations,
    TopologiesCross,
    Unplaceable,
    plan,
)
from engine.builders import NOW, gang, in_front, node, release, snapshot
from lockstep.report.text import operator_refusals
from lockstep.report.text.operator_refusals import in_pool
from lockstep.report.text.refusal_sentences import format_refusal
from lockstep.snapshot.quotas import quota_bounds

SSD = Constraints(node_selector=(("disk", "ssd"),))
ZONE_B = Constraints(affinity=(NodeTerm((Requirement("zone", "In", ("b",)),), ()),))
GPU_ONLY = Taint("gpu", "", "NoSchedule")


@pytest.mark.parametrize(
    ("nodes", "one", "want_reason", "want_detail"),
    [
        pytest.param(
            [],
            gang(size=2, serial=1),
            Reason.NO_NODE_FITS,
            "it needs 2 members, and there are 0 nodes",
            id="no nodes at all",
        ),
        pytest.param(
            [node("n1", ready=False), node("n2", cordoned=True), node("n3", taints=[GPU_ONLY]), node("n4")],
            gang(serial=1, constraints=SSD),
            Reason.NO_NODE_FITS,
            "0 of 4 nodes pass its constraints: 1 not ready, 1 cordoned, 1 with the untolerated taint gpu:NoSchedule, "
            "1 for other reasons",
            id="every node fails at something else",
        ),
        pytest.param(
            [node("n1", labels={"zone": "a"}), node("n2")],
            gang(serial=1, constraints=ZONE_B),
            Reason.NO_NODE_FITS,
            "0 of 2 nodes pass its constraints: 2 without zone=b",
            id="affinity matches nothing",
        ),
        pytest.param(
            [
                node("n1", free=(4, 1)),
                node("n2", free=(2, 9)),
                node("n3", free=(0, 9)),
                node("n4", free=(9, 9), ready=False),
            ],
            gang(size=4, serial=1, request=(2, 1)),
            Reason.NOT_ENOUGH_ROOM,
            "it needs 4 members, and 2 fit: 3 of 4 nodes pass its constraints (1 not ready); of these, 1 short of cpu; "
            "cpu: 4 × 2m needed, 3 × 2m free",
            id="too little room on the nodes that pass",
        ),
        pytest.param(
            [node("n1", free=(4, 9))],
            gang(size=4, serial=1, request=(2, 1)),
            Reason.NOT_ENOUGH_ROOM,
            "it needs 4 members, and 2 fit: 1 of 1 nodes pass its constraints; cpu: 4 × 2m needed, 2 × 2m free",
            id="room on every node, but too few",
        ),
        pytest.param(
            [node("n1", until=NOW + 10), node("n2")],
            gang(size=1, times=[20], constraints=SSD),
            Reason.NO_NODE_FITS,
            "0 of 2 nodes pass its constraints: 2 without disk=ssd",
            id="constraints come first",
        ),
        pytest.param(
            [node("n1", until=NOW + 10, slowdown=2.0)],
            gang(size=1, serial=6),
            Reason.WINDOW_TOO_SHORT,
            "it needs room for 1 member together for 12 s or more; 1 node passes its constraints: "
            "it is open to gangs for 10 s at most",
            id="taken back before the end",
        ),
        pytest.param(
            [node("n1", until=NOW + 10)],
            gang(size=1),
            Reason.WINDOW_TOO_SHORT,
            "it states no run time, so it needs 1 member on nodes that stay open; 1 node passes its constraints: "
            "it is open to gangs for 10 s at most",
            id="taken back some time, run time unknown",
        ),
        pytest.param(
            [node("n1", start=math.inf), node("n2", start=NOW + 9, until=NOW + 9), node("n3", until=NOW + 2)],
            gang(size=1, serial=6),
            Reason.WINDOW_TOO_SHORT,
            "it needs room for 1 member together for 6 s or more; 3 nodes pass its constraints: 2 of them are "
            "never open to gangs, "
            "1 of them is open to gangs for 2 s at most",
            id="windows that never open",
        ),
        pytest.param(
            [node("n1", start=math.inf)],
            gang(size=1),
            Reason.WINDOW_TOO_SHORT,
            "it states no run time, so it needs 1 member on nodes that stay open; 1 node passes its constraints: "
            "it is never open to gangs",
            id="a window that never opens, run time unknown",
        ),
        pytest.param(
            [node("n1", free=4)],
            gang(size=1, most=4, serial=10, deadline=NOW + 2),
            Reason.DEADLINE_CANNOT_BE_MET,
            "it can end in 2.5 s at the earliest, with 4 members: 0.5 s after its deadline",
            id="deadline too early",
        ),
        pytest.param(
            [node("n1", free=4)],
            gang(size=2, most=3, times=[4, math.inf, math.inf, 1]),
            Reason.NO_TIME_FOR_SIZE,
            "its work.profile has no time for any size from 2 to 3",
            id="a gap in the measured profile",
        ),
    ],
)
def test_reason_and_sentence(nodes, one, want_reason, want_detail):
    resources = ("cpu", "memory")[: len(one.roles[0].request)]

    [decision] = plan(snapshot(nodes, [one], resources=resources)).decisions

    assert (decision.reason, format_refusal(decision.refusal)) == (want_reason, want_detail)


@pytest.mark.parametrize(
    ("refusal", "want"),
    [
        (
            OfRole(role="gpu", refusal=NoNodeFits(needed=1, nodes=2, failures=(("not ready", 2),))),
            "role gpu: 0 of 2 nodes pass its constraints: 2 not ready",
        ),
        (
            in_pool(OfRole(role="gpu", refusal=NoNodeFits(needed=1, nodes=0, failures=()))),
            "role gpu: it needs 1 member, and there are 0 nodes of the pool",
        ),
        (
            NoDomainFits(needed=4, keys=("zone",), domains=2),
            "it needs 4 members on nodes with one value of zone: none of the 2 values has room for all",
        ),
        (
            NoDomainFits(needed=4, keys=("zone",), domains=2, most=3),
            (
                "it needs 4 members on nodes with one value of zone: "
                "none of the 2 values has room for all; each has room for 3 at most"
            ),
        ),
        (
            NoDomainFits(needed=4, keys=("rack", "zone"), domains=0),
            "it needs 4 members on nodes with one value of rack and zone, and no node has these labels",
        ),
        (
            NoRoomTogether(needed=5, roles=2),
            "it needs 5 members: each of its 2 roles would fit alone, but not all together",
        ),
        (
            NoRoomTogether(needed=5, roles=2, too_little=TooLittle(resource="cpu", needed=6500, free=4000)),
            "it needs 5 members: each of its 2 roles would fit alone, but not all together; cpu: 6500m needed, 4 free",
        ),
        (
            NoRoomTogether(needed=5, roles=2, too_little=TooLittle(resource="host port TCP 80", needed=5, free=4)),
            (
                "it needs 5 members: each of its 2 roles would fit alone, but not all together; "
                "host port TCP 80: 5 needed, 4 free"
            ),
        ),
        (
            NoRoomTogether(needed=5, roles=1),
            "it needs 5 members, and too few of them fit as far apart as its constraints require",
        ),
        (
            TopologiesCross(keys=("row", "column")),
            (
                "its constraints name the labels row and column, and neither label nests in the other; "
                "use labels that nest, such as rack and zone"
            ),
        ),
        (
            TooManyCombinations(combinations=10**7, most=16384),
            (
                "its roles have 10000000 combinations of members, and the planner distinguishes 16384 at most: "
                "use fewer or smaller roles"
            ),
        ),
        (
            TooManyCombinations(combinations=None, most=100),
            "none of the first 100 combinations of its roles and nodes fits, and Lockstep tries no more",
        ),
        (
            ConstraintsTooLong(length=70_000, most=4000),
            (
                "its selectors, node affinities and tolerations have 70000 parts, and the planner reads "
                "4000 of one gang at most: use fewer"
            ),
        ),
    ],
    ids=lambda value: value.split(":")[0] if isinstance(value, str) else type(value).__name__,
)
def test_sentence_of_a_gang_with_roles(refusal, want):
    assert format_refusal(refusal) == want


@pytest.mark.parametrize(
    ("scarcest", "want"),
    [
        (Scarcest(resource="cpu", each=6000, fit=12), "cpu: 20 × 6 needed, 12 × 6 free"),
        (Scarcest(resource="cpu", each=250, fit=0), "cpu: 20 × 250m needed, 0 × 250m free"),
        (Scarcest(resource="memory", each=3 * 2**30, fit=12), "memory: 20 × 3Gi needed, 12 × 3Gi free"),
        (Scarcest(resource="nvidia.com/gpu", each=1, fit=3), "nvidia.com/gpu: 20 needed, 3 free"),
        (Scarcest(resource="nvidia.com/gpu", each=4, fit=3), "nvidia.com/gpu: 20 × 4 needed, 3 × 4 free"),
        (
            Scarcest(resource="example.com/odd", each=10**30, fit=1),
            f"example.com/odd: 20 × {10**30} needed, 1 × {10**30} free",
        ),
        (Scarcest(resource="bid slots", each=1, fit=2), "bid slots: 20 needed, 2 free"),
        (Scarcest(resource="host port TCP 80", each=2**20, fit=2), "host port TCP 80: 20 needed, 2 free"),
    ],
    ids=lambda value: value.split(":")[0] if isinstance(value, str) else "",
)
def test_scarcest_resource_is_given_as_people_write_amounts(scarcest, want):
    refusal = NotEnoughRoom(needed=20, fit=0, passing=12, nodes=12, short=(), scarcest=scarcest)

    assert format_refusal(refusal) == f"it needs 20 members, and 0 fit: 12 of 12 nodes pass its constraints; {want}"


@pytest.mark.parametrize(
    ("others", "want"),
    [(0, ""), (1, ", like 1 other gang"), (2, ", like 2 other gangs")],
    ids=["alone", "one more", "two more"],
)
def test_gang_that_gives_no_end_is_named(others, want):
    blocker = Blocker(gang=GangKey("default", "nowork"), nodes=12, others=others)
    refusal = NotEnoughRoom(needed=4, fit=0, passing=12, nodes=12, short=(), blocker=blocker)

    assert format_refusal(refusal) == (
        f"it needs 4 members, and 0 fit while default/nowork holds 12 nodes and has no known end{want}: "
        "12 of 12 nodes pass its constraints"
    )


def test_what_most_nodes_fail_is_named_and_the_rest_is_summed():
    failures = (("not ready", 1), ("cordoned", 4), ("without a=1", 9), ("without b=1", 2), ("without c=1", 3))

    assert format_refusal(NoNodeFits(needed=1, nodes=19, failures=failures)) == (
        "0 of 19 nodes pass its constraints: 4 cordoned, 9 without a=1, 3 without c=1, 3 for other reasons"
    )


def test_labels_that_nodes_lack_are_named_where_some_have_them():
    nodes = [node("n1", labels={"gpu": "a100"}), *(node(f"n{number}") for number in range(2, 14))]
    one = gang(size=4, serial=1, constraints=Constraints(node_selector=(("gpu", "a100"),)))

    [decision] = plan(snapshot(nodes, [one])).decisions

    assert format_refusal(decision.refusal) == (
        "it needs 4 members, and 1 fit: 1 of 13 nodes pass its constraints (12 without gpu=a100); slots: 4 needed, 1 "
        "free"
    )


def test_room_that_comes_back_counts():
    nodes = [node("n1", free=0), node("n2", free=0)]

    [decision] = plan(
        snapshot(nodes, [gang(size=3, serial=1)], releases=[release(0, NOW + 5), release(1, math.inf)])
    ).decisions

    assert format_refusal(decision.refusal) == (
        "it needs 3 members, and 1 fit: 2 of 2 nodes pass its constraints; of these, 1 short of slots; slots: 3 "
        "needed, 1 free"
    )


def test_gangs_in_front_that_never_end_are_named_as_the_cause():
    gangs = [gang("front", size=2, priority=1), gang("behind", size=2, serial=5)]

    _, decision = plan(snapshot([node("n1"), node("n2")], gangs)).decisions

    assert (decision.reason, format_refusal(decision.refusal)) == (
        Reason.HELD_BY_GANGS_IN_FRONT,
        (
            "it would fit with 2 members, but default/front, which is in front, holds 2 nodes: "
            "that gang has no known end, holds them until they close, or keeps them free for itself"
        ),
    )


@pytest.mark.parametrize(
    ("others", "holds"),
    [
        (0, "holds 1 node: that gang has"),
        (1, "holds 1 node, and 1 other gang holds more: those gangs have"),
        (2, "holds 1 node, and 2 other gangs hold more: those gangs have"),
    ],
)
def test_of_several_gangs_in_front_one_is_named(others, holds):
    blocker = Blocker(gang=GangKey("default", "front"), nodes=1, others=others)

    said = format_refusal(HeldByGangsInFront(needed=2, nominated=False, blocker=blocker))

    assert f"but default/front, which is in front, {holds} no known end" in said


def test_pods_for_which_room_is_made_are_named_as_the_cause():
    [decision] = plan(
        snapshot([node("n1", free=0)], [gang()], releases=[release(0, NOW + 5)], nominated=[in_front(0, priority=3)])
    ).decisions

    assert format_refusal(decision.refusal) == (
        "it would fit with 1 member, but gangs in front, or pods with a nominated node, hold the room: "
        "those gangs have no known end, hold nodes until these close, or keep them free for themselves"
    )


def test_lasting_pods_are_named():
    nodes = [node("n1", free=0, lasting=(3,)), node("n2", free=5)]

    [decision] = plan(snapshot(nodes, [gang(size=8)])).decisions

    assert format_refusal(decision.refusal) == (
        "it needs 8 members, and 5 fit: long-running pods hold the rest; slots: 8 needed, 5 free"
    )


def test_unknown_refusal_is_a_broken_promise():
    with pytest.raises(TypeError):
        format_refusal("because")


def test_owners_who_may_come_back_are_counted():
    facts = snapshot([node("n1"), node("n2")], [gang(size=2, serial=6)], edges=[NOW, NOW + 60], returns=[[0.0], [0.25]])
    [decision] = plan(facts).decisions

    assert format_refusal(decision.refusal) == (
        "it needs room for 2 members together for 3 s or more; 2 nodes pass its constraints: "
        "owners of 1 of them may come back, and the gang may not be interrupted"
    )


def test_every_refusal_that_there_is_has_a_sentence():
    known = [one for module in (coschedule, quota_bounds, operator_refusals) for _, one in inspect.getmembers(module)]
    classes = {one for one in known if inspect.isclass(one) and hasattr(one, "reason")} - {Refusal, Unplaceable}

    assert len(classes) > 15
    assert {one.__name__ for one in classes if format_refusal.dispatch(one) is format_refusal.dispatch(object)} == set()


def test_taint_that_evicts_too_soon_is_named_with_the_time_that_it_is_tolerated():
    leaving = Taint("leaving", "soon", "NoExecute")
    tolerant = Constraints(tolerations=(Toleration("leaving", "Exists", "", "NoExecute", 5.0),))
    nodes = [node("n1", taints=[leaving]), node("n2", taints=[leaving])]

    [decision] = plan(snapshot(nodes, [gang(size=2, serial=3600, constraints=tolerant)])).decisions

    assert decision.refusal.reason is Reason.WINDOW_TOO_SHORT
    assert format_refusal(decision.refusal) == (
        "it needs room for 2 members together for 30 min or more; 2 nodes pass its constraints: "
        "a taint on 2 of them evicts members after 5 s, the longest time that they tolerate it"
    )
