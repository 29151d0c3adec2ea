"""Gangs of several roles, and with terms among their members: all of them together, each where it may be."""

import pytest

from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.problem.gangs import Load
from coschedule.queue.problem.members import Members
from coschedule.queue.problem.parts import Pieces
from coschedule.queue.problem.refusals import (
    NoDomainFits,
    NoNodeFits,
    NoRoomTogether,
    NotEnoughRoom,
    OfRole,
    Reason,
    Scarcest,
    TooLittle,
    TooManyCombinations,
    TopologiesCross,
)
from coschedule.queue.search import effort
from engine.builders import NOW, apart, decisions, gang, node, only, role, together

LAUNCHER = role("launcher", load=Load.NONE)
ZONES = [
    node("n1", free=2, labels={"zone": "a"}),
    node("n2", free=1, labels={"zone": "b"}),
    node("n3", free=2, labels={"zone": "b"}, slowdown=2.0),
    node("n4", free=9),
]


def seats(placement):
    return [(one.role, one.node, one.count) for one in placement.members]


def test_members_of_different_roles_share_a_node():
    placement = only([node("n1", free=3)], gang(roles=[LAUNCHER, role("workers", size=2)], serial=6))

    assert seats(placement) == [("launcher", "n1", 1), ("workers", "n1", 2)]
    assert (placement.size, placement.start, placement.finish) == (3, NOW, NOW + 3)


def test_only_members_with_a_load_set_the_pace():
    nodes = [node("n1", free=2), node("n2", slowdown=4.0)]
    placement = only(nodes, gang(roles=[LAUNCHER, role("workers", size=2)], serial=6))

    assert seats(placement) == [("launcher", "n2", 1), ("workers", "n1", 2)]
    assert (placement.finish, placement.slowest) == (NOW + 3, "n1")


def test_every_role_goes_where_it_may():
    nodes = [node("arm", free=9, labels={"arch": "arm64"}), node("intel", free=2, labels={"arch": "amd64"})]
    here, there = (Constraints(node_selector=(("arch", arch),)) for arch in ("amd64", "arm64"))
    one = gang(roles=[role("here", size=2, constraints=here), role("there", most=4, constraints=there)], serial=12)

    placement = only(nodes, one)

    assert seats(placement) == [("here", "intel", 2), ("there", "arm", 4)]
    assert placement.finish == NOW + 2


def test_all_roles_start_together_when_the_last_has_room():
    nodes = [node("n1", labels={"gpu": "yes"}, start=NOW + 5), node("n2")]
    gpu = role("gpu", constraints=Constraints(node_selector=(("gpu", "yes"),)))

    placement = only(nodes, gang(roles=[gpu, role("cpu")], serial=4))

    assert (placement.start, placement.finish, placement.latest) == (NOW + 5, NOW + 7, "n1")


def test_pieces_are_dealt_among_the_members_of_their_role():
    nodes = [node("n1", slowdown=1.0), node("n2", slowdown=2.0), node("n3", slowdown=9.0)]
    workers = role("workers", size=2, load=Load.PIECES, pieces=6)

    placement = only(nodes, gang(roles=[LAUNCHER, workers], serial=6))

    assert placement.members == (
        Members("n3", 1, None, "launcher"),
        Members("n1", 1, Pieces(4), "workers"),
        Members("n2", 1, Pieces(2), "workers"),
    )
    assert placement.finish == NOW + 4


def test_faster_nodes_are_left_to_the_role_whose_work_is_divided_by_speed():
    nodes = [node("n1", slowdown=0.5), node("n2"), node("n3")]
    workers = role("workers", size=2, load=Load.PROPORTIONAL)

    placement = only(nodes, gang(roles=[LAUNCHER, workers], serial=6))

    assert seats(placement) == [("launcher", "n2", 1), ("workers", "n1", 1), ("workers", "n3", 1)]
    assert [one.part.fraction for one in placement.members[1:]] == pytest.approx([2 / 3, 1 / 3])
    assert placement.finish == NOW + 2


def test_gang_of_unknown_run_time_has_as_many_members_as_fit_beside_the_others():
    placement = only([node("n1", free=3), node("n2", free=3)], gang(roles=[LAUNCHER, role("workers", most=9)]))

    assert placement.size == 6


def test_deadline_is_met_with_the_fewest_members_of_the_role_that_varies():
    one = gang(roles=[LAUNCHER, role("workers", most=8)], serial=12, deadline=NOW + 4)

    assert only([node("n1", free=9)], one).size == 4


def test_gang_behind_takes_what_all_roles_leave():
    front = gang("front", roles=[LAUNCHER, role("workers", size=2)], serial=6, priority=1)
    behind = gang("behind", size=2, serial=2)

    made = decisions([node("n1", free=4)], front, behind)

    assert made["behind"].start == made["front"].finish


def test_one_member_a_node():
    nodes = [node(f"n{number}", free=4, labels={"kubernetes.io/hostname": f"n{number}"}) for number in range(3)]

    assert seats(only(nodes, gang(roles=[role("w", most=9)], serial=6, terms=[apart("w")]))) == [
        ("w", "n0", 1),
        ("w", "n1", 1),
        ("w", "n2", 1),
    ]


def test_node_without_the_label_is_in_no_domain():
    assert seats(only(ZONES, gang(roles=[role("w", size=5)], serial=5, terms=[apart("w", key="zone")]))) == [
        ("w", "n1", 1),
        ("w", "n2", 1),
        ("w", "n4", 3),
    ]
    assert only(ZONES, gang(roles=[role("w", size=5)], serial=5, terms=[together("w")])).refusal.domains == 2


def test_all_members_in_the_domain_where_they_end_first():
    one = gang(roles=[role("w", most=3)], serial=6, terms=[together("w")])

    placement = only(ZONES, one)

    assert (seats(placement), placement.finish) == ([("w", "n1", 2)], NOW + 3)
    assert only(ZONES[1:], one).finish == NOW + 4


def test_workers_are_where_a_server_is():
    servers = role("servers", constraints=Constraints(node_selector=(("zone", "b"),)))
    one = gang(roles=[servers, role("workers", size=2)], serial=6, terms=[together("workers", towards=["servers"])])

    assert {name for _, name, _ in seats(only(ZONES, one))} == {"n2", "n3"}


def test_roles_keep_their_distance():
    one = gang(roles=[role("a"), role("b")], serial=6, terms=[apart("a", key="zone", towards=["b"])])
    zones = {"n1": "a", "n2": "b", "n3": "b"}

    assert len({zones[name] for _, name, _ in seats(only(ZONES[:3], one))}) == 2


TOO_FEW_SLOTS = NotEnoughRoom(
    needed=3, fit=2, passing=1, nodes=1, short=(), scarcest=Scarcest(resource="slots", each=1, fit=2)
)


@pytest.mark.parametrize(
    ("nodes", "one", "want"),
    [
        pytest.param(
            [node("n1", free=9)],
            gang(roles=[LAUNCHER, role("gpu", constraints=Constraints(node_selector=(("gpu", "yes"),)))]),
            OfRole(role="gpu", refusal=NoNodeFits(needed=1, nodes=1, failures=(("without gpu=yes", 1),))),
            id="no node for one of the roles",
        ),
        pytest.param(
            [node("n1", free=2)],
            gang(roles=[LAUNCHER, role("workers", size=3)]),
            OfRole(role="workers", refusal=TOO_FEW_SLOTS),
            id="too little room for one of the roles",
        ),
        pytest.param(
            [node("n1", free=2)],
            gang(roles=[LAUNCHER, role("workers", size=2)]),
            NoRoomTogether(needed=3, roles=2, too_little=TooLittle(resource="slots", needed=3, free=2)),
            id="too little room for all of them",
        ),
        pytest.param(
            [node("n1", free=3), node("n2", free=3)],
            gang(roles=[role("a", request=(2,)), role("b", size=2, request=(2,))]),
            NoRoomTogether(needed=3, roles=2),
            id="enough in all, but in pieces",
        ),
        pytest.param(
            ZONES,
            gang(roles=[role("w", size=4)], terms=[together("w")]),
            NoDomainFits(needed=4, keys=("zone",), domains=2, most=3),
            id="too little room in every zone",
        ),
        pytest.param(
            [node(name, free=9, labels={"zone": zone}) for name, zone in (("n1", "a"), ("n2", "b"))],
            gang(roles=[role("w", size=2)], terms=[together("w"), apart("w", key="zone")]),
            NoDomainFits(needed=2, keys=("zone",), domains=2, most=None),
            id="room in a zone, but not for members that keep apart",
        ),
        pytest.param(
            [node(f"n{n}", labels={"row": f"r{n // 2}", "column": f"c{n % 2}"}) for n in range(4)],
            gang(roles=[role("a"), role("b")], terms=[apart("a", key="row"), apart("b", key="column")]),
            TopologiesCross(keys=("column", "row")),
            id="rows and columns",
        ),
        pytest.param(
            [node("n1", free=9)],
            gang(roles=[role(f"r{number}", size=9) for number in range(8)]),
            TooManyCombinations(combinations=10**7, most=2**14),
            id="too many roles that are too large",
        ),
    ],
)
def test_refusal_says_what_is_missing(nodes, one, want):
    assert only(nodes, one).refusal == want


def test_gang_that_takes_too_long_to_search_says_so_and_costs_the_others_nothing(monkeypatch):
    monkeypatch.setattr(effort, "MOST_COMBINATIONS", 20)
    nodes = [node(f"n{number}", free=2 + number % 3) for number in range(9)]
    large = gang("large", roles=[role("a", size=5), role("b", size=5), role("c", size=5)], priority=1)

    made = decisions(nodes, large, gang("small", size=3))

    assert made["large"].refusal.reason is Reason.TOO_MANY_COMBINATIONS
    assert 20 <= made["large"].refusal.most < 1000
    assert made["small"].size == 3


def test_gang_of_roles_waits_for_gangs_in_front_like_any_other():
    front, behind = gang("front", priority=1), gang("behind", roles=[LAUNCHER, role("w")])

    assert decisions([node("n1", free=2)], front, behind)["behind"].reason is Reason.HELD_BY_GANGS_IN_FRONT


def test_windows_are_as_short_for_roles_as_for_one():
    refusal = only([node("n1", free=2, until=NOW + 5)], gang(roles=[LAUNCHER, role("w")], serial=6)).refusal

    assert (refusal.reason, refusal.needed, refusal.shortest_seconds) == (Reason.WINDOW_TOO_SHORT, 2, 6.0)


def test_shortest_run_on_slow_nodes_has_the_overhead_of_pieces_once():
    roles = [LAUNCHER, role("w", load=Load.PIECES, pieces=1)]
    nodes = [node("n1", free=2, until=NOW + 100, slowdown=2.0)]

    assert only(nodes, gang(roles=roles, serial=10, per_member=100)).refusal.shortest_seconds == 120


def test_gangs_behind_those_that_take_long_have_less_to_search(monkeypatch):
    monkeypatch.setattr(effort, "MOST_IN_A_PLAN", 20_000)
    monkeypatch.setattr(effort, "LEAST_COMBINATIONS", 20_000)
    nodes = [node(f"n{number}", free=2 + number % 3) for number in range(9)]
    large = [gang(name, roles=[role(one, size=5) for one in "abc"]) for name in ("g1", "g2", "g3")]

    made = decisions(nodes, *large, gang("pair", roles=[role("a"), role("b")], created=1))

    refused = [getattr(made[name], "refusal", None) for name in ("g1", "g2", "g3")]
    assert refused[-1] is not None
    assert refused[-1].reason is Reason.TOO_MANY_COMBINATIONS
    assert made["pair"].size == 2


CPUS, GPUS = (Constraints(node_selector=(("kind", kind),)) for kind in ("cpu", "gpu"))
OF_TWO_KINDS = [
    node("c1", labels={"kind": "cpu"}),
    node("c2", labels={"kind": "cpu"}),
    node("c3", labels={"kind": "cpu"}),
    node("g1", labels={"kind": "gpu"}, slowdown=0.5),
    node("g2", labels={"kind": "gpu"}, slowdown=1.0),
]


def pool(name, pieces, *, weight=1, **fields):
    return role(name, load=Load.PIECES, pieces=pieces, weight=weight, **fields)


def dealt(placement):
    return [(one.role, one.node, one.part.count) for one in placement.members for _ in range(one.count)]


def test_pools_of_pieces_have_one_finish_and_no_more_members_than_it_needs():
    # Three units of the GPU pool on the fast node, one on the other: 3 x 4 x 0.5 = 6 of 24 units of a second each.
    roles = [pool("gpu", 4, weight=4, size=2, constraints=GPUS), pool("cpu", 8, most=3, constraints=CPUS)]

    placement = only(OF_TWO_KINDS, gang(roles=roles, serial=24))

    # Two members of the CPU pool end after 4 pieces, three would end after 3: too early to matter.
    assert dealt(placement) == [("gpu", "g1", 3), ("gpu", "g2", 1), ("cpu", "c1", 4), ("cpu", "c2", 4)]
    assert (placement.size, placement.finish) == (4, NOW + 6)


def test_the_weight_of_a_piece_says_which_pool_gets_the_faster_node():
    nodes = [node("fast", slowdown=0.5), node("slow")]

    def seated(weight):
        roles = [pool("a", 4, weight=weight), pool("b", 4, weight=2)]
        return seats(only(nodes, gang(roles=roles, serial=12)))

    assert seated(1) == [("a", "slow", 1), ("b", "fast", 1)]
    assert seated(3) == [("a", "fast", 1), ("b", "slow", 1)]


def test_pools_that_compete_share_the_fast_nodes():
    # With both fast nodes, one pool would end after 2 units, but the other after 4.
    nodes = [node("f1", slowdown=0.5), node("f2", slowdown=0.5), node("s1"), node("s2")]
    roles = [pool("a", 6, size=2), pool("b", 6, size=2)]

    placement = only(nodes, gang(roles=roles, serial=12))

    assert sorted((one.role, one.node[0], one.part.count) for one in placement.members) == [
        ("a", "f", 4),
        ("a", "s", 2),
        ("b", "f", 4),
        ("b", "s", 2),
    ]
    assert placement.finish == NOW + 2


def test_overhead_counts_the_members_of_all_pools():
    roles = [role("launcher", load=Load.NONE), pool("a", 3), pool("b", 3)]

    assert only([node("n1", free=3)], gang(roles=roles, serial=6, per_member=2)).finish == NOW + 3 + 2 * 2


def test_pools_without_a_run_time_are_dealt_by_weight():
    nodes = [node("fast", slowdown=0.5), node("slow")]
    roles = [pool("a", 4), pool("b", 4, weight=2)]

    assert seats(only(nodes, gang(roles=roles, serial=None))) == [("a", "slow", 1), ("b", "fast", 1)]


def test_pools_on_nodes_of_many_speeds_are_placed_also_if_not_all_is_searched(monkeypatch):
    monkeypatch.setattr(effort, "MOST_COMBINATIONS", 5 * 10**5)
    monkeypatch.setattr(effort, "LEAST_COMBINATIONS", 5 * 10**5)
    nodes = [node(f"n{index}", free=2, slowdown=1 + index / 64) for index in range(40)]
    roles = [pool("a", 400, weight=3, size=20), pool("b", 1000, most=40)]

    assert only(nodes, gang(roles=roles, serial=2200)).size >= 21


@pytest.mark.parametrize(
    ("loads", "why"),
    [
        pytest.param((Load.PIECES, Load.EQUAL), "must have pieces or no load", id="pieces and shares"),
        pytest.param((Load.PIECES, Load.PROPORTIONAL), "must have pieces or no load", id="pieces and speed"),
        pytest.param((Load.PROPORTIONAL, Load.PROPORTIONAL), "all others must be None", id="speed twice"),
    ],
)
def test_other_loads_do_not_go_together(loads, why):
    roles = [
        role(f"r{index}", load=load, pieces=3 if load is Load.PIECES else None) for index, load in enumerate(loads)
    ]
    with pytest.raises(ValueError, match=why):
        gang(roles=roles, serial=6)


def test_a_piece_has_a_weight():
    with pytest.raises(ValueError, match="piece_weight"):
        pool("a", 3, weight=0)
