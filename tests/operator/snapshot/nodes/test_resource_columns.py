"""Columns of a snapshot: as many as gangs ask for, but for what no node has."""

import random
from collections import Counter
from dataclasses import replace
from functools import partial

import pytest

from builders.facts import ONE_CPU, gang_fact, gang_spec, node_fact, pod_fact
from coschedule import GangKey, Placement, plan
from lockstep.belief.common.steps import at_once
from lockstep.belief.common.turns import PlanShares, of_sets
from lockstep.belief.state import State
from lockstep.facts.columns import WHOLE
from lockstep.facts.pods.pod import PodAffinity, PodTerm, WrittenTerm
from lockstep.report.text.refusal_sentences import format_refusal
from lockstep.snapshot.asked import Room
from lockstep.snapshot.nodes import resource_columns
from lockstep.snapshot.nodes.resource_columns import NOWHERE, choosing_columns
from lockstep.snapshot.snapshots import SnapshotCutter
from lockstep.snapshot.wanted import PlanTerms, wanted


def wants(name, *resources):
    request = tuple(sorted({**dict(ONE_CPU), **dict.fromkeys(resources, 2)}.items()))
    return gang_fact(name, spec=gang_spec(request=request))


def crowd(count):
    """So many gangs, each with a resource of its own that no node has."""
    return [wants(f"g{number:04}", f"example.com/x{number:04}") for number in range(count)]


class Known:
    """One node, with what pods have there besides."""

    def __init__(self, taken=()):
        self._taken = taken

    def is_offered(self, resource):
        return resource in dict(node_fact().allocatable)

    def is_taken(self, resource):
        return resource in self._taken


def columns_for(gangs, taken=()):
    return at_once(choosing_columns([gang.spec.roles[0].request for gang in gangs], Known(taken)))


def test_columns_are_what_gangs_ask_for():
    assert columns_for([wants("a", "example.com/x"), wants("b")]).names == (
        "bid slots",
        "cpu",
        "example.com/x",
        "pods",
    )


def test_columns_do_not_grow_with_names_that_no_node_has():
    columns = columns_for(crowd(5000)).names

    assert len(columns) == 104
    assert (columns[-1], "cpu" in columns, "example.com/x0099" in columns) == (NOWHERE, True, True)


def test_columns_of_our_own_and_those_of_nodes_are_never_shared():
    own = [wants(f"p{port:04}", f"host port TCP {port}") for port in range(200)]

    assert {f"host port TCP {port}" for port in range(200)} <= set(columns_for([*own, *crowd(300)]).names)


def test_request_without_a_column_of_its_own_takes_the_shared_one():
    columns = columns_for(crowd(150))
    vectors = [columns.asked(gang.spec.roles[0].request) for gang in crowd(150)]
    amounts = [dict(zip(columns.names, vector, strict=True)) for vector in vectors]

    assert [(one[NOWHERE], one["cpu"]) for one in amounts] == 100 * [(0, 1000)] + 50 * [(1, 1000)]


def test_gangs_that_ask_for_what_no_node_has_are_reported_and_others_are_placed():
    state = State(lambda: None)
    state.nodes.apply(node_fact())
    gangs = [*crowd(150), wants("z")]
    for gang in gangs:
        state.apply_gang(gang)
    decisions = plan(SnapshotCutter(state).cut(0.0, gangs)).decisions

    assert "1 short of example.com/x0000" in format_refusal(decisions[0].refusal)
    assert f"1 short of {NOWHERE}" in format_refusal(decisions[149].refusal)
    assert decisions[150].size == 2


def port(number):
    return f"host port TCP {number}"


@pytest.mark.parametrize("count", [2, 200])
def test_what_the_same_members_alone_ask_for_is_one_column(count):
    ports = [port(number) for number in range(count)]

    columns = columns_for([exclusive("a", *ports), exclusive("b", *ports[:1])])

    assert columns.names == ("bid slots", "cpu", "host port TCP 0", "host port TCP 1", "pods")
    [one, other] = (columns.asked(exclusive("a", *those).spec.roles[0].request) for those in (ports, ports[:1]))
    assert (one, other) == ((1, 1000, WHOLE, WHOLE, 1), (1, 1000, WHOLE, 0, 1))


def test_what_a_pod_has_keeps_its_column():
    ports = [port(number) for number in range(200)]

    columns = columns_for([exclusive("a", *ports)], taken={port(7)})

    assert set(columns.names) == {"bid slots", "cpu", "pods", port(0), port(7)}


def test_what_members_only_share_needs_no_column():
    disks = {f"disk GCE d{number}": 1 for number in range(200)}
    request = tuple(sorted({**dict(ONE_CPU), **disks}.items()))

    columns = columns_for([gang_fact("a", spec=gang_spec(request=request))])

    assert columns.names == ("bid slots", "cpu", "pods")
    assert columns.asked(request) == (1, 1000, 1)


def exclusive(name, *columns):
    """A gang whose members each take all that nodes have of these columns."""
    request = tuple(sorted({**dict(ONE_CPU), **dict.fromkeys(columns, WHOLE)}.items()))
    return gang_fact(name, spec=gang_spec(size=2, most=3, request=request))


@pytest.mark.parametrize("seed", range(60))
def test_gangs_are_planned_the_same_with_columns_that_stand_for_others(seed, monkeypatch):
    rnd, state = random.Random(seed), State(lambda: None)  # noqa: S311 - a case has to come again
    for number in range(rnd.randint(2, 5)):
        state.nodes.apply(node_fact(f"n{number}", cpu=4000))
    ports = [port(number) for number in range(6)]
    for number in range(rnd.randint(0, 3)):
        request = (("cpu", 1000), *((one, WHOLE) for one in sorted(rnd.sample(ports, 2))))
        state.apply_pod(
            pod_fact(f"p{number}", node=f"n{rnd.randrange(5)}", request=request, lasting=rnd.random() < 0.5)
        )
    gangs = []
    for number in range(rnd.randint(1, 5)):
        asked = {one: rnd.choice((1, WHOLE)) for one in rnd.sample(ports, rnd.randint(0, 4))}
        request = tuple(sorted({**dict(ONE_CPU), **asked}.items()))
        gangs.append(gang_fact(f"g{number}", created=float(number), spec=gang_spec(size=1, most=3, request=request)))
        state.apply_gang(gangs[-1])
    with monkeypatch.context() as without:
        without.setattr(resource_columns, "_standing_in", no_stand_ins)
        want = plan(SnapshotCutter(state).cut(0.0, gangs)).decisions

    found = plan(SnapshotCutter(state).cut(0.0, gangs)).decisions

    assert [placed(one) for one in found] == [placed(one) for one in want]


def no_stand_ins(*_):
    yield from ()
    return {}


def placed(decision):
    """Where a gang goes and when; why it does not, but for which column of several alike is short."""
    if isinstance(decision, Placement):
        return decision.gang, decision.members, decision.start, decision.size
    return decision.gang, decision.reason


def test_gangs_whose_columns_find_no_room_take_turns():
    turns, keys = PlanShares(most=8), [GangKey("default", f"g{number}") for number in range(12)]
    needed = {key: {f"{key.name}-{column}" for column in range(2)} for key in keys}
    served = Counter()

    for _ in range(12):
        left_out = turns.left_out(keys, partial(of_sets, needed))
        assert sum(len(needed[key]) for key in keys if key not in left_out) <= 8
        served.update(key for key in keys if key not in left_out)

    assert served[keys[0]] == 12
    assert min(served.values()) >= 3


@pytest.mark.parametrize(
    ("needed", "want"),
    [
        pytest.param(["abcdefgh", "abcd", "efgh"], set(), id="what is shared counts once"),
        pytest.param(["abcdefghi"], set(), id="more than there is room for, but alone"),
        pytest.param(["abcd", "efgh", "ijkl"], {2}, id="the last of three"),
        pytest.param(["abcdefgh", "ijklmnop", "q"], {2}, id="neither the most urgent one nor the next in turn"),
    ],
)
def test_who_is_left_out_is_who_asks_for_too_much(needed, want):
    keys = [GangKey("default", f"g{number}") for number in range(len(needed))]

    left_out = PlanShares(most=8).left_out(keys, partial(of_sets, dict(zip(keys, map(set, needed), strict=True))))

    assert {keys.index(key) for key in left_out} == want


def snapshots_of(room, gangs, rounds):
    """Who is in each of so many snapshots in turn."""
    for _ in range(rounds):
        found = [wanted(room.state, gang, PlanTerms()) for gang in gangs]
        asked, left_out = at_once(room.choosing(found))
        there = {one.gang.key.name for one in asked.wanted}
        assert there | {key.name for key in left_out} == {gang.key.name for gang in gangs}
        yield there


class RoomOf(Room):
    """The room of a state that the test has, too."""

    def __init__(self, state, **most):
        super().__init__(state, **most)
        self.state = state


def test_gangs_that_ask_for_too_many_columns_are_in_snapshots_in_turn():
    gangs = [exclusive(f"g{number}", *(port(2 * number + one) for one in range(2))) for number in range(8)]
    state = State(lambda: None)

    served = Counter(name for there in snapshots_of(RoomOf(state, most_columns=8), gangs, 12) for name in there)

    assert len(served) == 8
    assert min(served.values()) >= 3


@pytest.mark.parametrize(("nodes", "want"), [(1, 8), (10, 3), (15, 2)])
def test_snapshots_of_many_nodes_have_fewer_columns_of_single_gangs(monkeypatch, nodes, want):
    monkeypatch.setattr("lockstep.snapshot.asked.MOST_CELLS", 30)
    monkeypatch.setattr("lockstep.snapshot.asked.LEAST_COLUMNS", 1)
    gangs = [exclusive(f"g{number}", port(number)) for number in range(9)]
    state = State(lambda: None)
    for number in range(nodes):
        state.nodes.apply(node_fact(f"n{number}"))

    [there] = snapshots_of(RoomOf(state, most_columns=8), gangs, 1)

    assert len(there) == want


def test_gangs_of_a_namespace_with_too_many_terms_take_turns_and_others_lose_nothing():
    term = WrittenTerm(PodTerm("host", (), (), None))
    [role] = gang_spec().roles
    spec = replace(gang_spec(), roles=(replace(role, pod_affinity=PodAffinity((), (term, term))),))
    crowd = [gang_fact(f"g{number}", spec=spec) for number in range(8)]
    other = replace(gang_fact("other", spec=spec), key=GangKey("elsewhere", "other"))
    plain = gang_fact("plain")

    served = Counter()
    for there in snapshots_of(RoomOf(State(lambda: None), most_terms=8), [*crowd, other, plain], 12):
        assert len(there & {gang.key.name for gang in crowd}) <= 4
        served.update(there)

    assert (served["other"], served["plain"]) == (12, 12)
    assert min(served[gang.key.name] for gang in crowd) >= 3
