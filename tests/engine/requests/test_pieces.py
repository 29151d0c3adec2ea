"""The request language of pieces: what is answered, and under which name nonsense is refused."""

import json

import pytest

from coschedule.requests.answer import answer_line

PIECES = {"problem": "pieces", "pieces": 20, "speeds": [10, 1, 4, 3]}
GANG = {
    "problem": "gangPieces",
    "nodes": [{"slots": 8}, {"slots": 8, "capacity": 2}, {"slots": 8, "start": 30}],
    "pieces": 9,
    "secondsPerPiece": 10,
    "perMember": 3,
}
COMPRESS = {"problem": "compress", "pieces": 9, "speeds": [4, 2, 1], "turnaround": "3/2"}
POOLS = {"problem": "compressPools", "pools": [{"pieces": 4, "speeds": [1]}, {"pieces": 3, "speeds": [1, 1, 1]}]}
EXPAND = {
    "problem": "expand",
    "freeBySlice": [["a", "b", "c"], ["a", "b", "d"]],
    "speeds": {"a": 1, "b": 1, "c": 1, "d": 1},
    "pieces": 4,
}


def answer(request, **changes):
    return json.loads(answer_line(json.dumps(request | changes).encode()))


@pytest.mark.parametrize(
    ("request_line", "changes", "want"),
    [
        pytest.param(PIECES, {}, {"turnaround": 1.2, "counts": [12, 1, 4, 3]}, id="pieces"),
        pytest.param(
            PIECES, {"speeds": ["10", 1, 4, 3]}, {"turnaround": "6/5", "counts": [12, 1, 4, 3]}, id="pieces, rational"
        ),
        pytest.param(PIECES, {"pieces": 3, "speeds": [0.5]}, {"turnaround": 6.0, "counts": [3]}, id="pieces, decimal"),
        pytest.param(GANG, {}, {"feasible": True, "finish": 36, "counts": [3, 6, 0]}, id="gangPieces"),
        pytest.param(
            GANG,
            {"fixed": "1/2", "nodes": [{"slots": 9}]},
            {"feasible": True, "finish": "187/2", "counts": [9]},
            id="gangPieces with a fixed overhead",
        ),
        pytest.param(
            GANG,
            {"nodes": [{}, {}]},
            {"feasible": False, "reason": "NoGroupFits", "message": "9 pieces need as many slots and the nodes have 2"},
            id="gangPieces without room",
        ),
        pytest.param(COMPRESS, {}, {"processors": [0, 1], "counts": [6, 3, 0]}, id="compress"),
        pytest.param(
            COMPRESS,
            {"turnaround": 1},
            {"feasible": False, "reason": "NoGroupFits", "message": "7 of 9 pieces are done within 1"},
            id="compress too far",
        ),
        pytest.param(
            POOLS,
            {},
            {"turnaround": 4, "processors": [[0], [0]], "counts": [[4], [3, 0, 0]]},
            id="compressPools",
        ),
        pytest.param(
            EXPAND,
            {},
            {
                "slices": [0, 1],
                "processors": ["a", "b"],
                "counts": {"a": 2, "b": 2},
                "turnaround": 2,
                "size": 4,
                "exact": True,
            },
            id="expand",
        ),
        pytest.param(
            EXPAND,
            {"objective": "size", "speeds": {"a": "1/2", "b": 1, "c": 5, "d": 1}},
            {
                "slices": [0],
                "processors": ["a", "b", "c"],
                "counts": {"c": 4},
                "turnaround": "8/5",
                "size": "13/2",
                "exact": True,
            },
            id="expand by size",
        ),
        pytest.param(
            EXPAND,
            {"freeBySlice": [[], []]},
            {"feasible": False, "reason": "NoGroupFits", "message": "no processor is free in any of 2 slices"},
            id="expand without room",
        ),
    ],
)
def test_answer(request_line, changes, want):
    got = answer(request_line, **changes)

    assert got == want
    assert [type(value) for value in got.values()] == [type(value) for value in want.values()]


def test_many_slices_may_be_answered_inexactly():
    names = [f"p{index}" for index in range(13)]
    free = [[name for name in names if name != missing] for missing in names]

    got = answer(EXPAND, freeBySlice=free, speeds=dict.fromkeys(names, 1))

    assert got["exact"] is False


@pytest.mark.parametrize(
    ("request_line", "changes", "want_field"),
    [
        pytest.param(PIECES, {"pieces": 0}, "pieces", id="no pieces"),
        pytest.param(PIECES, {"pieces": 1.5}, "pieces", id="half a piece"),
        pytest.param(PIECES, {"pieces": 10**16}, "pieces", id="too many pieces"),
        pytest.param(PIECES, {"speeds": 3}, "speeds", id="speeds are no list"),
        pytest.param(PIECES, {"speeds": []}, "speeds", id="no speeds"),
        pytest.param(PIECES, {"speeds": [1, 0]}, "speeds[1]", id="a speed of 0"),
        pytest.param(PIECES, {"speeds": [1, "fast"]}, "speeds[1]", id="a word for a speed"),
        pytest.param(PIECES, {"turnaround": 3}, "turnaround", id="a field of another problem"),
        pytest.param(GANG, {"nodes": [{}, {"slots": 0}]}, "nodes[1].slots", id="no slots"),
        pytest.param(GANG, {"secondsPerPiece": 0}, "secondsPerPiece", id="pieces without work"),
        pytest.param(GANG, {"perMember": -1}, "perMember", id="an overhead below 0"),
        pytest.param(GANG, {"fixed": None}, "fixed", id="null for an overhead"),
        pytest.param(GANG, {"pieces": -3}, "pieces", id="pieces below 0"),
        pytest.param(GANG, {"deadline": 3}, "deadline", id="an unknown field"),
        pytest.param(COMPRESS, {"turnaround": 0}, "turnaround", id="no time"),
        pytest.param(COMPRESS, {"turnaround": "1/0"}, "turnaround", id="division by zero"),
        pytest.param(COMPRESS, {"speeds": [4, -2, 1]}, "speeds[1]", id="a speed below 0"),
        pytest.param(POOLS, {"pools": []}, "pools", id="no pools"),
        pytest.param(POOLS, {"pools": [3]}, "pools[0]", id="a pool is no object"),
        pytest.param(POOLS, {"pools": [{"pieces": 1}]}, "pools[0].speeds", id="a pool without speeds"),
        pytest.param(
            POOLS, {"pools": [*POOLS["pools"], {"pieces": 0, "speeds": [1]}]}, "pools[2].pieces", id="an empty pool"
        ),
        pytest.param(
            POOLS, {"pools": [{"pieces": 1, "speeds": [1, 0]}]}, "pools[0].speeds[1]", id="a speed of 0 in a pool"
        ),
        pytest.param(
            POOLS, {"pools": [{"pieces": 1, "speeds": [1], "name": "x"}]}, "pools[0].name", id="a pool's name"
        ),
        pytest.param(EXPAND, {"freeBySlice": {}}, "freeBySlice", id="slices are no list"),
        pytest.param(EXPAND, {"freeBySlice": [["a"], "b"]}, "freeBySlice[1]", id="a slice is no list"),
        pytest.param(EXPAND, {"freeBySlice": [["a"], [3]]}, "freeBySlice[1][0]", id="a number for a name"),
        pytest.param(EXPAND, {"freeBySlice": [["a", "e"]]}, "freeBySlice[0][1]", id="a name without a speed"),
        pytest.param(EXPAND, {"freeBySlice": [["a", "a"]]}, "freeBySlice[0][1]", id="a name twice"),
        pytest.param(EXPAND, {"speeds": [1]}, "speeds", id="speeds are a list"),
        pytest.param(EXPAND, {"speeds": {"a": 1, "b": 0, "c": 1, "d": 1}}, "speeds.b", id="a named speed of 0"),
        pytest.param(EXPAND, {"pieces": 0}, "pieces", id="no pieces to expand"),
        pytest.param(EXPAND, {"objective": "fewest"}, "objective", id="an unknown objective"),
    ],
)
def test_refusal_names_the_field(request_line, changes, want_field):
    got = answer(request_line, id="x", **changes)

    assert (got["id"], got["error"]["field"]) == ("x", want_field)
    assert got["error"]["message"]


@pytest.mark.parametrize(
    ("request_line", "name"),
    [
        pytest.param(line, name, id=f"{line['problem']} without {name}")
        for line in (PIECES, GANG, COMPRESS, POOLS, EXPAND)
        for name in line
        if name != "problem"
    ],
)
def test_missing_field_is_named(request_line, name):
    line = {key: value for key, value in request_line.items() if key != name}

    assert answer(line)["error"] == {"reason": "InvalidRequest", "field": name, "message": "is required"}
