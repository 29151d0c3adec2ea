"""Snapshots refuse facts that contradict each other, and never change."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from coschedule.queue.problem.gangs import Load
from coschedule.queue.problem.nodes import NodeTable
from engine.builders import apart, gang, node, release, role, snapshot

TWO = [node("a"), node("b")]


def test_arrays_are_copies_that_cannot_be_written():
    mine = np.array([[1], [2]])
    snap = replace(snapshot(TWO, []), free=mine)
    mine[0, 0] = 9

    assert snap.free[0, 0] == 1
    for array in (snap.free, snap.start, snap.slowdown, snap.until, snap.nodes.ready, snap.nodes.unschedulable):
        assert not array.flags.writeable


def test_fields_cannot_be_set():
    with pytest.raises(FrozenInstanceError):
        snapshot(TWO, []).generation = 2


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"free": np.zeros((2, 2))}, id="a resource too many"),
        pytest.param({"free": np.zeros((3, 1))}, id="a node too many"),
        pytest.param({"start": np.zeros(3)}, id="a start too many"),
        pytest.param({"start": np.array([0.0, np.nan])}, id="a start that is no number"),
        pytest.param({"until": np.array([0.0, np.nan])}, id="an end that is no number"),
        pytest.param({"slowdown": np.array([1.0, 0.0])}, id="a node without slow-down"),
        pytest.param({"slowdown": np.array([1.0, np.inf])}, id="a node that never gets done"),
        pytest.param({"now": float("inf")}, id="no present"),
        pytest.param({"releases": (release(2, 5.0),)}, id="a release on a node that is not there"),
        pytest.param({"releases": (release(0, 5.0, 1, 1),)}, id="a release of resources that are not there"),
        pytest.param({"releases": (release(0, float("nan")),)}, id="a release at no time"),
        pytest.param({"gangs": (gang(request=(1, 1)),)}, id="a request for resources that are not there"),
        pytest.param({"gangs": (gang("a"), gang("a"))}, id="two gangs of one name"),
    ],
)
def test_contradiction_is_refused(changes):
    with pytest.raises(ValueError, match=r"must|names|needs"):
        replace(snapshot(TWO, []), **changes)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(("b", "a"), id="not sorted"),
        pytest.param(("a", "a"), id="twice"),
        pytest.param(("a",), id="too few"),
    ],
)
def test_node_names_are_sorted_distinct_and_one_a_row(names):
    with pytest.raises(ValueError, match="must"):
        NodeTable(names=names, labels=({}, {}), taints=((), ()), ready=[True] * 2, unschedulable=[False] * 2)


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"size": 0}, id="no members"),
        pytest.param({"size": 3, "most": 2}, id="an empty range"),
        pytest.param({"size": 5, "most": 7, "multiple_of": 4}, id="no multiple in the range"),
        pytest.param({"size": 5, "most": 7, "allowed": (4, 8)}, id="no allowed size in the range"),
        pytest.param({"most": 9, "allowed": (8, 4)}, id="sizes out of order"),
        pytest.param({"multiple_of": 0}, id="a multiple of nothing"),
        pytest.param({"size": 3, "load": Load.PIECES, "pieces": 2}, id="a piece too few"),
        pytest.param({"load": Load.NONE, "serial": 3}, id="work without a member"),
        pytest.param({"roles": [role("a"), role("a")]}, id="two roles of one name"),
        pytest.param({"roles": [role("a", most=2), role("b", most=2)]}, id="two sizes to choose"),
        pytest.param(
            {"roles": [role("a", load=Load.PROPORTIONAL), role("b")]}, id="members with a share and others without"
        ),
        pytest.param({"terms": [apart("x")]}, id="a term about no role"),
        pytest.param({"request": (-1,)}, id="a negative request"),
        pytest.param({"created": float("nan")}, id="an age that is no number"),
        pytest.param({"deadline": float("nan")}, id="a deadline that is no number"),
    ],
)
def test_gang_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match=r"must|cannot|need"):
        gang(**wrong)
