"""The request language's problem ``proportional``: what is answered, and what is refused under which name."""

import json

import pytest

from coschedule.requests.answer import answer_line

ONE = {"problem": "proportional", "nodes": [{}], "work": {"serial": 12}, "size": {"min": 1, "max": 1}}


def ask(**changes):
    return json.loads(answer_line(json.dumps(ONE | changes).encode()))


@pytest.mark.parametrize(
    ("changes", "want"),
    [
        pytest.param(
            {}, {"finish": 12, "size": 1, "members": [0], "start": 0, "speedup": 1, "shares": [1]}, id="whole numbers"
        ),
        pytest.param(
            {"nodes": [{}, {"capacity": "2"}], "size": {"min": 1, "max": 2}},
            {"finish": 4, "size": 2, "members": [0, 1], "start": 0, "speedup": 3, "shares": ["1/3", "2/3"]},
            id="shares as rationals",
        ),
        pytest.param(
            {"nodes": [{}, {"capacity": 2, "slots": 2}], "size": {"min": 1, "max": 9}, "work": {"serial": 10.0}},
            {"finish": 2.0, "size": 3, "members": [0, 1, 1], "start": 0.0, "speedup": 5.0, "shares": [0.2, 0.4, 0.4]},
            id="shares as floats, one a member",
        ),
        pytest.param(
            {"nodes": [{}] * 2, "size": {"min": 2, "max": 2}, "work": {"serial": 12, "perMember": 1}},
            {"finish": 8, "size": 2, "members": [0, 1], "start": 0, "speedup": 1.625, "shares": [0.5, 0.5]},
            id="overhead per member",
        ),
        pytest.param(
            {"nodes": [{"capacity": 2}], "work": {"serial": 12, "fixed": 1}, "overhead": "perGang"},
            {"finish": 7, "size": 1, "members": [0], "start": 0, "speedup": 13 / 7, "shares": [1]},
            id="overhead per gang",
        ),
    ],
)
def test_answer(changes, want):
    assert ask(**changes) == {"feasible": True} | want


def test_no_group_is_an_answer_and_not_an_error():
    assert ask(id="x", nodes=[]) == {
        "id": "x",
        "feasible": False,
        "reason": "NoGroupFits",
        "message": "needs 1 or more members and the nodes hold 0",
    }


@pytest.mark.parametrize(
    ("changes", "want_field"),
    [
        pytest.param({"overhead": "perNode"}, "overhead", id="unknown overhead"),
        pytest.param({"overhead": ["perGang"]}, "overhead", id="a list for an overhead"),
        pytest.param({"overhead": None}, "overhead", id="no overhead"),
        pytest.param({"overhead": "perGang", "work": {"times": [3]}}, "overhead", id="overhead of measured times"),
        pytest.param({"shares": []}, "shares", id="unknown field"),
        pytest.param({"nodes": [{}, {"dutyCycle": -1}]}, "nodes[1].dutyCycle", id="negative duty cycle"),
        pytest.param({"nodes": 3}, "nodes", id="no list of nodes"),
        pytest.param({"work": {"serial": 0}}, "work.serial", id="no work"),
        pytest.param({"size": {"min": 2, "max": 1}}, "size.max", id="empty range"),
        pytest.param({"objective": "most"}, "objective", id="unknown objective"),
        pytest.param({"price": -1}, "price", id="negative price"),
        pytest.param({"deadline": "soon"}, "deadline", id="deadline in words"),
    ],
)
def test_refusal_names_the_field(changes, want_field):
    assert ask(**changes)["error"]["field"] == want_field
