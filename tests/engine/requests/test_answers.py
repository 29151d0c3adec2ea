"""The request language of one group with equal load: what is answered, and what is refused under which name."""

import json

import pytest

from coschedule.requests.answer import answer_line

ONE = {"problem": "equal", "nodes": [{}], "work": {"serial": 12}, "size": {"min": 1, "max": 1}}


def answer(request):
    line = answer_line(json.dumps(request).encode())
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    return json.loads(line)


def ask(**changes):
    return answer(ONE | changes)


@pytest.mark.parametrize(
    ("changes", "want"),
    [
        pytest.param({}, {"finish": 12, "size": 1, "members": [0], "start": 0, "speedup": 1}, id="whole numbers"),
        pytest.param(
            {"nodes": [{}] * 7, "size": {"min": 7, "max": 7}},
            {"finish": 12 / 7, "size": 7, "members": [*range(7)], "start": 0, "speedup": 7},
            id="a fraction is answered as a number",
        ),
        pytest.param(
            {"nodes": [{}] * 7, "size": {"min": 7, "max": 7}, "work": {"serial": "12"}},
            {"finish": "12/7", "size": 7, "members": [*range(7)], "start": 0, "speedup": 7},
            id="and as a rational when the request has one",
        ),
        pytest.param(
            {"nodes": [{"dutyCycle": 0.1, "capacity": "2"}]},
            {"finish": "33/5", "size": 1, "members": [0], "start": 0, "speedup": "20/11"},
            id="beside a rational a decimal means what is written",
        ),
        pytest.param(
            {"work": {"serial": 0.1}},
            {"finish": 0.1, "size": 1, "members": [0], "start": 0.0, "speedup": 1.0},
            id="decimals are floats",
        ),
        pytest.param(
            {
                "nodes": [{"start": 2, "slots": 2, "until": 8, "dutyCycle": 0, "capacity": 1}],
                "size": {"min": 1, "max": 9},
            },
            {"finish": 8, "size": 2, "members": [0, 0], "start": 2, "speedup": 1.5},
            id="slots and a window",
        ),
        pytest.param(
            {"nodes": [{"slowdowns": ["1", "3/2", 2]}], "size": {"min": 2, "max": 3}},
            {"finish": 8, "size": 3, "members": [0, 0, 0], "start": 0, "speedup": "3/2"},
            id="slow-downs by count",
        ),
        pytest.param(
            {"nodes": [{"start": 0, "dutyCycle": 0, "capacity": 1, "until": None, "slots": 1, "slowdowns": None}]},
            {"finish": 12, "size": 1, "members": [0], "start": 0, "speedup": 1},
            id="every default spelt out",
        ),
        pytest.param(
            {"work": {"times": [600, 310, 205]}, "nodes": [{}] * 5, "size": {"min": 1, "max": 5}},
            {"finish": 205, "size": 3, "members": [0, 1, 2], "start": 0, "speedup": 600 / 205},
            id="measured times end the list of sizes",
        ),
        pytest.param(
            {"work": {"serial": 8, "perLogMember": 1}, "nodes": [{}] * 4, "size": {"min": 4, "max": 4}},
            {"finish": 4.0, "size": 4, "members": [0, 1, 2, 3], "start": 0.0, "speedup": 2.0},
            id="logarithmic overhead",
        ),
        pytest.param(
            {"nodes": [{}] * 4, "size": {"min": 1, "max": 4}, "deadline": 6, "objective": "fewest"},
            {"finish": 6, "size": 2, "members": [0, 1], "start": 0, "speedup": 2},
            id="fewest members for a deadline",
        ),
        pytest.param(
            {"nodes": [{}, {"capacity": "3/4"}], "size": {"min": 1, "max": 2}, "price": 2},
            {"finish": 12, "size": 1, "members": [0], "start": 0, "speedup": 1},
            id="a price",
        ),
    ],
)
def test_answer(changes, want):
    got = ask(**changes)

    assert got == {"feasible": True} | want
    assert [type(value) for value in got.values()] == [type(value) for value in ({"feasible": True} | want).values()]


def test_no_group_is_an_answer_and_not_an_error():
    assert ask(id=1, nodes=[]) == {
        "id": 1,
        "feasible": False,
        "reason": "NoGroupFits",
        "message": "needs 1 or more members and the nodes hold 0",
    }


@pytest.mark.parametrize(
    ("changes", "want_field"),
    [
        pytest.param({"problem": "equals"}, "problem", id="unknown problem"),
        pytest.param({"problem": ["equal"]}, "problem", id="a list for a problem"),
        pytest.param({"nodez": []}, "nodez", id="unknown field"),
        pytest.param({"nodes": {}}, "nodes", id="nodes are no list"),
        pytest.param({"nodes": [{}, 3]}, "nodes[1]", id="a node is no object"),
        pytest.param({"nodes": [{"speed": 3}]}, "nodes[0].speed", id="unknown field of a node"),
        pytest.param({"nodes": [{}, {}, {"dutyCycle": -1}]}, "nodes[2].dutyCycle", id="negative duty cycle"),
        pytest.param({"nodes": [{"capacity": 0}]}, "nodes[0].capacity", id="no capacity"),
        pytest.param({"nodes": [{"capacity": "0/1"}]}, "nodes[0].capacity", id="rational without capacity"),
        pytest.param({"nodes": [{"start": "-1/2"}]}, "nodes[0].start", id="start before the request"),
        pytest.param({"nodes": [{"start": None}]}, "nodes[0].start", id="null is no number"),
        pytest.param({"nodes": [{"start": True}]}, "nodes[0].start", id="true is no number"),
        pytest.param({"nodes": [{"start": "1.5"}]}, "nodes[0].start", id="a decimal in a string"),
        pytest.param({"nodes": [{"start": "1/0"}]}, "nodes[0].start", id="division by zero"),
        pytest.param({"nodes": [{"start": "1/-2"}]}, "nodes[0].start", id="a sign below"),
        pytest.param({"nodes": [{"start": "٣"}]}, "nodes[0].start", id="digits of another script"),
        pytest.param({"nodes": [{"start": "9" * 65}]}, "nodes[0].start", id="a rational of 65 digits"),
        pytest.param({"nodes": [{"start": 10**19}]}, "nodes[0].start", id="a huge number"),
        pytest.param({"nodes": [{"capacity": 1e-300}]}, "nodes[0].capacity", id="a tiny number"),
        pytest.param({"nodes": [{"until": -1}]}, "nodes[0].until", id="taken back before the request"),
        pytest.param({"nodes": [{"slots": 0}]}, "nodes[0].slots", id="no slots"),
        pytest.param({"nodes": [{"slots": 1.5}]}, "nodes[0].slots", id="half a slot"),
        pytest.param({"nodes": [{"slowdowns": []}]}, "nodes[0].slowdowns", id="no slow-downs"),
        pytest.param({"nodes": [{"slowdowns": [2, 1]}]}, "nodes[0].slowdowns[1]", id="falling slow-downs"),
        pytest.param({"nodes": [{"slowdowns": [1], "slots": 2}]}, "nodes[0].slots", id="slots beside slow-downs"),
        pytest.param({"work": 3}, "work", id="work is no object"),
        pytest.param({"work": {}}, "work.serial", id="no work"),
        pytest.param({"work": {"serial": 0}}, "work.serial", id="nothing to do"),
        pytest.param({"work": {"serial": 1, "perMember": -1}}, "work.perMember", id="negative overhead"),
        pytest.param({"work": {"serial": 1, "times": [1]}}, "work.serial", id="two kinds of work"),
        pytest.param({"work": {"times": []}}, "work.times", id="no times"),
        pytest.param({"work": {"times": [3, 0]}}, "work.times[1]", id="no time"),
        pytest.param({"work": {"times": [3, None]}}, "work.times[1]", id="an unknown time"),
        pytest.param({"size": {"min": 1}}, "size.max", id="no largest size"),
        pytest.param({"size": {"min": 0, "max": 1}}, "size.min", id="no members"),
        pytest.param({"size": {"min": 2, "max": 1}}, "size.max", id="an empty range"),
        pytest.param({"deadline": "soon"}, "deadline", id="a word for a deadline"),
        pytest.param({"deadline": -3}, "deadline", id="a deadline before the request"),
        pytest.param({"objective": "most"}, "objective", id="unknown objective"),
        pytest.param({"objective": None}, "objective", id="no objective"),
        pytest.param({"price": -1}, "price", id="negative price"),
        pytest.param({"id": {}}, "id", id="an object for an id"),
    ],
)
def test_refusal_names_the_field(changes, want_field):
    got = ask(**changes)

    assert (got["error"]["reason"], got["error"]["field"]) == ("InvalidRequest", want_field)
    assert got["error"]["message"]
    assert got.keys() == {"id", "error"}


@pytest.mark.parametrize("name", ["problem", "nodes", "work", "size"])
def test_missing_field_is_named(name):
    request = {key: value for key, value in ONE.items() if key != name}

    assert answer(request)["error"] == {"reason": "InvalidRequest", "field": name, "message": "is required"}
