"""Nodes as columns: from arrays, from objects, and what is refused."""

import math
from fractions import Fraction

import numpy as np
import pytest

from coschedule.model.errors import InvalidValueError
from coschedule.model.goal import Goal
from coschedule.model.run_times import SerialWork
from coschedule.problems.atallah.equal import choose_equal
from coschedule.problems.atallah.node_columns import columns_of, columns_of_nodes
from coschedule.problems.node import Node


def test_arrays_give_what_objects_give():
    chance = np.random.default_rng(1)
    bids = {
        "start": chance.random(50),
        "duty_cycle": chance.random(50),
        "capacity": 0.5 + chance.random(50),
        "until": 5 + 100 * chance.random(50),
        "slots": chance.integers(1, 4, 50),
    }
    nodes = [
        Node(**dict(zip(bids, row, strict=True)))
        for row in zip(*(column.tolist() for column in bids.values()), strict=True)
    ]
    work, goal = SerialWork(serial=1000.0), Goal(minimum=1, maximum=50)

    assert choose_equal(columns_of(**bids), work, goal) == choose_equal(nodes, work, goal)


def test_rational_nodes_give_exact_columns():
    columns = columns_of_nodes([Node(duty_cycle=1, capacity=3), Node(start=Fraction(1, 3))])

    assert columns.is_exact
    assert columns.slowdown.tolist() == [Fraction(2, 3), 1]
    assert columns.until.tolist() == [math.inf, math.inf]


@pytest.mark.parametrize("field", ["start", "duty_cycle", "capacity", "until"])
def test_one_float_makes_float_columns(field):
    columns = columns_of_nodes([Node(), Node(**{field: 2.5})])

    assert not columns.is_exact
    assert columns.start.dtype == np.float64


def test_slowdowns_by_count_become_a_step_each():
    columns = columns_of_nodes([Node(slowdowns=(1, 1, 2)), Node(slots=4)])

    assert columns.node.tolist() == [0, 0, 1]
    assert columns.slowdown.tolist() == [1, 2, 1]
    assert columns.count.tolist() == [2, 1, 4]


def test_columns_cannot_be_written():
    columns = columns_of(start=np.zeros(3))

    with pytest.raises(ValueError, match="read-only"):
        columns.start[0] = 1


def test_a_caller_may_go_on_writing_its_own_arrays():
    start = np.zeros(3)
    columns = columns_of(start=start)
    start[0] = 7

    assert columns.start.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("bids", "want_field"),
    [
        pytest.param({"start": [0.0, -1.0]}, "start[1]", id="start before the request"),
        pytest.param({"start": [math.nan]}, "start[0]", id="no number"),
        pytest.param({"duty_cycle": [math.inf]}, "duty_cycle[0]", id="never done"),
        pytest.param({"capacity": [1.0, 0.0]}, "capacity[1]", id="no capacity"),
        pytest.param({"until": [math.nan]}, "until[0]", id="taken back never or ever"),
        pytest.param({"slots": [1, 0]}, "slots[1]", id="no slots"),
        pytest.param({}, "start", id="no array at all"),
    ],
)
def test_values_that_make_no_sense_are_refused_by_field(bids, want_field):
    with pytest.raises(InvalidValueError) as refusal:
        columns_of(**bids)

    assert refusal.value.field == want_field


def test_no_nodes_are_no_columns():
    assert len(columns_of_nodes([]).start) == 0
