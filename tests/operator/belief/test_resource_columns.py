"""Columns of a snapshot: as many as gangs ask for, but for what no node has."""

from builders.facts import ONE_CPU, gang_fact, gang_spec, node_fact
from coschedule import plan
from lockstep.belief.resource_columns import NOWHERE, choosing_columns
from lockstep.belief.snapshots import SnapshotCutter
from lockstep.belief.state import State
from lockstep.belief.steps import at_once
from lockstep.report.refusals import spell


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


def test_gangs_that_ask_for_what_no_node_has_are_told_and_others_are_placed():
    state = State(lambda: None)
    state.nodes.apply(node_fact())
    gangs = [*crowd(150), wants("z")]
    for gang in gangs:
        state.apply_gang(gang)
    decisions = plan(SnapshotCutter(state).cut(0.0, gangs)).decisions

    assert "1 short of example.com/x0000" in spell(decisions[0].refusal)
    assert f"1 short of {NOWHERE}" in spell(decisions[149].refusal)
    assert decisions[150].size == 2
