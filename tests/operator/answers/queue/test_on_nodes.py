"""Which gangs hold nodes, since when and until when: the rows of the queue above those that wait."""

from dataclasses import replace

import pytest

from builders.facts import gang_fact, gang_spec
from builders.pod_gangs import pod_gang
from coschedule import Members
from lockstep.answers.queue.on_nodes import OnNodes, on_nodes_of
from lockstep.answers.queue.queue_text import queue_document, running_lines
from lockstep.api.pool import ALL_NODES
from lockstep.belief.podgangs.composing import composed
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.gang.summary import GangState
from lockstep.facts.runs.sweep_keys import sweep_key
from lockstep.facts.runs.sweep_run import SweepRun

NOW = 1_000_000.0
TWO_NODES = (Members("n1", 2), Members("n2", 1), Members("n1", 1))


def condition(kind, status="True", reason="Because", *, since=NOW):
    return ConditionFact(kind, status, reason, "", 1, since)


def running(name="heat", *, since=NOW - 90, finish=NOW + 60, **more):
    """A gang of four on two nodes."""
    status = GangStatus(
        attempt=1,
        size=4,
        members=TWO_NODES,
        start=since,
        reserved_at=since,
        started_at=since,
        expected_finish=finish,
        conditions=(condition("Placed"),),
    )
    return gang_fact(name, spec=gang_spec(size=4), status=replace(status, **more))


def shown(gang):
    """A Gang as it is read without its pods."""
    return composed(gang, PodGroup(), ALL_NODES)


def test_row_has_state_size_nodes_and_times():
    heading, row, after = running_lines(on_nodes_of([running()], NOW), NOW)

    assert heading.split() == ["STATE", "GANG", "SIZE", "NODES", "HELD", "FOR", "ENDS", "IN"]
    assert row.split() == ["Running", "default/heat", "4", "2", "1", "min", "30", "s", "1", "min"]
    assert after == ""
    assert list(running_lines([], NOW)) == []


def test_rows_are_by_their_expected_end_and_those_without_one_come_last():
    gangs = [
        running("lasting", finish=None, since=NOW - 100),
        running("later", finish=NOW + 20),
        running("lasting-longer", finish=None, since=NOW - 200),
        running("sooner", finish=NOW + 10),
    ]

    assert [one.gang.name for one in on_nodes_of(gangs, NOW)] == ["sooner", "later", "lasting-longer", "lasting"]


@pytest.mark.parametrize(
    ("status", "want"),
    [
        pytest.param({}, (GangState.RUNNING, NOW + 60), id="runs"),
        pytest.param({"started_at": None}, (GangState.STARTING, NOW + 60), id="starts"),
        pytest.param(
            {"conditions": (condition("Placed", "False", "Undoing"),)}, (GangState.STOPPING, None), id="is torn down"
        ),
        pytest.param({"expected_finish": None}, (GangState.RUNNING, None), id="of unknown end"),
        # 90 s were expected, and 5 % are added to them.
        pytest.param({"start": NOW - 92, "expected_finish": NOW - 2}, (GangState.RUNNING, NOW + 2.5), id="overruns"),
    ],
)
def test_gang_has_a_state_and_an_end(status, want):
    [one] = on_nodes_of([running(**status)], NOW)

    assert (one.state, one.finish) == want


@pytest.mark.parametrize(
    "gang",
    [
        pytest.param(gang_fact(), id="waits"),
        pytest.param(running(conditions=(condition("Complete"),)), id="has ended"),
        pytest.param(running(reserved_at=None), id="holds nothing"),
        pytest.param(running(members=(Members("n1", 9),)), id="of a status that Lockstep did not write"),
        pytest.param(shown(pod_gang(status=GangStatus(members=TWO_NODES))), id="pods that are not placed"),
    ],
)
def test_gang_that_holds_no_nodes_has_no_row(gang):
    assert on_nodes_of([gang], NOW) == []


def test_pods_of_a_gang_that_run_have_a_row_though_nothing_is_reserved_for_them():
    placed = condition("Placed", since=NOW - 30)
    status = GangStatus(
        size=4, members=TWO_NODES, start=NOW - 40, expected_finish=NOW + 60, started_at=NOW - 30, conditions=(placed,)
    )

    [one] = on_nodes_of([shown(pod_gang(status=status))], NOW)

    assert (one.gang.name, one.state, one.size, one.nodes) == ("gang/g", GangState.RUNNING, 4, 2)
    assert (one.since, one.finish) == (NOW - 30, NOW + 60)


def test_document_has_a_list_of_its_own_and_names_the_sweep():
    run = replace(running("tune-3"), run=SweepRun(sweep=sweep_key("default", "tune"), sweep_uid="u", number=3))
    document = queue_document([], [], NOW, running=on_nodes_of([run, running(finish=None)], NOW))

    assert document["gangs"] == []
    assert document["running"][0] == {
        "gang": {"namespace": "default", "name": "tune-3"},
        "state": "Running",
        "size": 4,
        "nodes": 2,
        "since": "1970-01-12T13:45:10Z",
        "expectedFinish": "1970-01-12T13:47:40Z",
        "sweep": "tune",
    }
    assert (document["running"][1]["expectedFinish"], document["running"][1]["sweep"]) == (None, None)


def test_unknown_end_and_rows_that_are_left_out_are_named():
    one = OnNodes(gang=running().key, state="Running", size=1, nodes=1, since=NOW + 5, finish=None)

    _, row, left_out, _ = running_lines([one], NOW, left_out=3)

    # The clock of another machine may be ahead.
    assert row.split()[-5:] == ["less", "than", "1", "s", "unknown"]
    assert left_out == "(3 more gangs hold nodes)"
