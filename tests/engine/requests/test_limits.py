"""Short requests for very much: answered at once, or refused under the field that a stated limit is about."""

import json
import subprocess
import sys

import pytest

from coschedule.requests.answer import answer_line
from coschedule.requests.auction import MOST_LEVELS
from coschedule.requests.forecast import MOST_DAYS
from coschedule.requests.goal import LARGEST_SIZE

GROUP = {"problem": "equal", "nodes": [{}], "work": {"serial": 12}, "size": {"min": 1, "max": 1}}
GANG = {"problem": "gangPieces", "nodes": [{}], "pieces": 1, "secondsPerPiece": 1, "perMember": 1}
FORECAST = {
    "problem": "forecast",
    "smoothing": {"A": 1, "B": 0, "C": 1},
    "pastDays": [],
    "today": [],
    "now": 0,
    "hours": 0,
}
MANY = [10**12, 10**15, 10**18]


def arrivals(count, *, levels=1):
    workstations = list(range(1, levels + 1))
    return [{"op": "arrive", "name": str(n), "levels": workstations, "unitTimes": [1] * levels} for n in range(count)]


@pytest.mark.parametrize(
    ("request_", "want_field"),
    [
        pytest.param(
            GROUP | {"nodes": [{"slots": 10**12}], "size": {"min": 1, "max": LARGEST_SIZE + 1}}, "size.max", id="a gang"
        ),
        pytest.param({"problem": "pieces", "pieces": 10**16, "speeds": [1]}, "pieces", id="pieces"),
        pytest.param(GANG | {"pieces": 10**16, "nodes": [{"slots": 10**16}]}, "pieces", id="pieces on nodes"),
        pytest.param(FORECAST | {"pastDays": [[0] * 24] * (MOST_DAYS + 1)}, "pastDays", id="days"),
        pytest.param(FORECAST | {"pastDays": [[0] * 24], "hours": 10**12}, "hours", id="hours"),
        pytest.param(
            {"problem": "shares", "total": 10**12, "apps": [{"levels": [10**12], "speedups": [1]}]}, "total", id="nodes"
        ),
        pytest.param(
            {"problem": "shares", "total": 10**3, "apps": [{"levels": [0, 1], "speedups": [1, 1]}] * 6_000},
            "total",
            id="applications that divide nodes",
        ),
        pytest.param(
            {"problem": "auction", "total": 1, "psi": 2, "events": arrivals(1001)}, "events", id="arrivals and events"
        ),
        pytest.param(
            {"problem": "auction", "total": 1, "psi": 2, "events": arrivals(1, levels=MOST_LEVELS + 1)},
            "events[0].levels",
            id="levels",
        ),
    ],
)
def test_what_is_beyond_a_limit_is_refused_by_name(request_, want_field):
    got = json.loads(answer_line(json.dumps(request_).encode()))

    assert got["error"]["field"] == want_field
    assert "at most" in got["error"]["message"] or "from" in got["error"]["message"]


def rationals(count):
    """Write rationals without a common factor below."""
    return [f"1/{10**17 + 2 * index + 1}" for index in range(count)]


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param({"problem": "heterogeneity", "weights": rationals(1000)}, id="a sum"),
        pytest.param(
            FORECAST
            | {"smoothing": {"A": "1/1000000000000007", "B": 1, "C": 1}, "pastDays": [[0] * 24, [1] * 24] * 200},
            id="a power",
        ),
        pytest.param(
            GROUP
            | {"problem": "proportional", "deadline": "1/3", "size": {"min": 1, "max": 999}}
            | {"nodes": [{"dutyCycle": 10**17 + 2 * index} for index in range(999)]},
            id="a number in a sentence",
        ),
    ],
)
def test_answer_with_too_many_digits_is_refused(request_):
    got = json.loads(answer_line(json.dumps(request_ | {"id": 3}).encode()))

    assert got["id"] == 3
    assert got["error"]["field"] == ""
    assert "4300 digits" in got["error"]["message"]


def test_answer_with_as_many_digits_as_there_may_be_is_written():
    got = json.loads(answer_line(json.dumps({"problem": "heterogeneity", "weights": rationals(265)}).encode()))

    assert 4000 < len(got["power"].partition("/")[2]) <= 4300


@pytest.mark.parametrize("problem", ["equal", "proportional"])
def test_largest_size_may_be_anything_that_nodes_do_not_hold(problem):
    request = GROUP | {"problem": problem, "nodes": [{}, {"slots": 2}]}
    answers = {answer_line(json.dumps(request | {"size": {"min": 1, "max": most}}).encode()) for most in (3, *MANY)}

    [answer] = answers
    assert json.loads(answer)["size"] == 3


def test_gang_may_be_as_large_as_there_are_nodes():
    many = LARGEST_SIZE + 1
    request = GROUP | {"nodes": [{}] * many, "size": {"min": 1, "max": 10**9}, "work": {"serial": 12.5}}

    assert json.loads(answer_line(json.dumps(request).encode()))["size"] == many


def test_program_answers_short_requests_for_very_much_at_once():
    """What is beyond a limit is refused; all else is answered within the time and the memory of a short request."""
    nodes = [{"slots": count, "start": 0.5} for count in MANY]
    requests = [
        *({"problem": "pieces", "pieces": 10**15, "speeds": speeds} for speeds in ([1, 2], ["1/7", 2], [0.1, 1e18])),
        *({"problem": "compress", "pieces": 10**15, "speeds": [1, 2], "turnaround": time} for time in (1, 10**18, 0.1)),
        {"problem": "compressPools", "pools": [{"pieces": 10**15, "speeds": [1e-18, 1e18]}]},
        *(GANG | {"pieces": 10**15, "nodes": [{"slots": count, "dutyCycle": "1/3"}, {}]} for count in MANY),
        *(GROUP | {"problem": problem, "nodes": nodes} for problem in ("equal", "proportional")),
        *(GROUP | {"nodes": nodes[:1], "size": {"min": 1, "max": most}} for most in (*MANY, LARGEST_SIZE)),
        {"problem": "expand", "freeBySlice": [["a"], []] * 5000, "speeds": {"a": 1}, "pieces": 10**15},
        {"problem": "shares", "total": 10**18, "apps": [{"levels": [1], "speedups": [2]}]},
        {"problem": "auction", "total": 10**18, "psi": 1e-18, "events": arrivals(10) + [{"op": "auction"}] * 9},
    ]

    ran = subprocess.run(
        [sys.executable, "-m", "coschedule"],
        input="".join(json.dumps(request) + "\n" for request in requests).encode(),
        capture_output=True,
        check=False,
        timeout=300,
    )

    assert (ran.returncode, ran.stderr) == (0, b"")
    assert len(ran.stdout.splitlines()) == len(requests)
