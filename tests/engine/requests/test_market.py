"""The request language of pace, heterogeneity, forecast, auction and shares: answers, refusals by field."""

import json
import math

import pytest

from coschedule.requests.answer import answer_line

DAY = [0] * 24
PACE = {"problem": "pace", "weights": [1, "1/2"], "free": ["1/2", 1]}
HETEROGENEITY = {"problem": "heterogeneity", "weights": [1, "1/2"]}
FORECAST = {
    "problem": "forecast",
    "smoothing": {"A": "1/2", "B": "1/4", "C": "1/2"},
    "pastDays": [DAY, [4] * 24],
    "today": [8, 8],
    "now": 3,
    "hours": 1,
}
ARRIVE = {"op": "arrive", "name": "A", "levels": [1, 3, 9], "unitTimes": [9, 3, 1]}
AUCTION = {"problem": "auction", "total": 12, "psi": 1.2, "events": [ARRIVE, {"op": "auction"}]}
SHARES = {"problem": "shares", "total": 4, "apps": [{"levels": [1, 3], "speedups": [1, "5/2"]}] * 2}
ALL = [PACE, HETEROGENEITY, FORECAST, AUCTION, SHARES]


def answer(request):
    return json.loads(answer_line(json.dumps(request).encode()))


@pytest.mark.parametrize(
    ("request_", "want"),
    [
        pytest.param(PACE, {"power": "1/2", "pace": [1, 1], "shares": ["1/2", 1]}, id="pace"),
        pytest.param(
            PACE | {"weights": [1, 2, 4], "free": [1, 1, 1]},
            {"power": 1, "pace": [1, 2, 4], "shares": [1, 0.5, 0.25]},
            id="pace of whole numbers",
        ),
        pytest.param(
            PACE | {"weights": [1, 0.5], "free": [0.5, 0.5]},
            {"power": 0.25, "pace": [2.0, 1.0], "shares": [0.25, 0.5]},
            id="pace of decimals",
        ),
        pytest.param(
            PACE | {"free": [1, 0]},
            {"feasible": False, "reason": "NoPowerLeft", "message": "node 1 leaves a member none of its time"},
            id="no pace",
        ),
        pytest.param(HETEROGENEITY, {"members": 2, "power": "3/2", "heterogeneity": "1/4"}, id="heterogeneity"),
        pytest.param(
            FORECAST, {"longTerm": [2] * 24, "hourly": ["7/2", "19/8"], "now": "13/4", "mean": "47/16"}, id="forecast"
        ),
        pytest.param(
            FORECAST | {"smoothing": {"A": 1, "B": 0, "C": 1}, "today": [], "hours": 0},
            {"longTerm": DAY, "hourly": [0], "now": 0, "mean": 0},
            id="forecast of whole numbers",
        ),
        pytest.param(SHARES, {"levels": [0, 1], "value": math.log(2.5)}, id="shares"),
        pytest.param(SHARES | {"total": 0, "apps": []}, {"levels": [], "value": 0.0}, id="shares of no application"),
        pytest.param(
            SHARES | {"total": 1},
            {
                "feasible": False,
                "reason": "NoSharesFit",
                "message": "the smallest levels need 2 workstations together and there are 1",
            },
            id="no shares",
        ),
    ],
)
def test_answer(request_, want):
    assert answer(request_) == want
    assert answer(request_ | {"id": "x"}) == {"id": "x"} | want


def test_answer_to_an_auction():
    events = [
        {"op": "loaders", "workstations": 2},
        ARRIVE,
        {"op": "setUnitTimes", "name": "A", "unitTimes": [9, "3/2", 1], "alsoKnown": [0]},
        {"op": "auction", "order": None, "exempt": ["A"]},
        {"op": "auction"},
        ARRIVE | {"name": "B"},
        {"op": "auction", "order": ["B"]},
        {"op": "depart", "name": "A"},
        {"op": "arrive", "name": "C", "levels": [99], "unitTimes": [1.5]},
    ]
    alone = {"action": 1, "app": "A", "from": 1, "to": 2, "donor": None, "donorFrom": None, "donorTo": None}
    given = {"action": 1, "app": "B", "from": 0, "to": 1, "donor": "A", "donorFrom": 2, "donorTo": 1}

    got = answer({"problem": "auction", "total": 12, "psi": "6/5", "requireGain": False, "events": events})

    assert [event["result"] for event in got["events"]] == [None, 1, None, [], [alone], 0, [given], None, None]
    assert [event["allocation"] for event in got["events"]] == [
        {},
        {"A": 3},
        {"A": 3},
        {"A": 3},
        {"A": 9},
        {"A": 9, "B": 1},
        {"A": 3, "B": 3},
        {"B": 3},
        {"B": 3},
    ]
    assert [event["available"] for event in got["events"]] == [10, 7, 7, 7, 1, 0, 4, 7, 7]


def test_decimals_of_an_auction_mean_what_is_written():
    """In floats 1.2 * 3.0 is less than 3.6 and A would go up."""
    arrivals = [ARRIVE | {"unitTimes": [9, 3.6, 1]}, ARRIVE | {"name": "B", "unitTimes": [9, 3.0, 1]}]
    auction = {"op": "auction"}

    got = answer(AUCTION | {"events": [arrivals[0], auction, arrivals[1], auction, auction]})

    assert 1.2 * 3.0 < 3.6
    assert got["events"][-1]["result"] == []
    assert got["events"][-1]["allocation"] == {"A": 3, "B": 9}


@pytest.mark.parametrize(
    ("request_", "want_field"),
    [
        pytest.param(PACE | {"weights": 3}, "weights", id="weights are no list"),
        pytest.param(PACE | {"weights": []}, "weights", id="no weights"),
        pytest.param(PACE | {"weights": [1, 0]}, "weights[1]", id="no weight"),
        pytest.param(PACE | {"weights": [1, "x"]}, "weights[1]", id="a word for a weight"),
        pytest.param(PACE | {"free": [1]}, "free", id="a share is missing"),
        pytest.param(PACE | {"free": [1, 1.5]}, "free[1]", id="more than all"),
        pytest.param(PACE | {"speeds": []}, "speeds", id="unknown field of pace"),
        pytest.param(HETEROGENEITY | {"weights": [1.5]}, "weights[0]", id="faster than the fastest"),
        pytest.param(HETEROGENEITY | {"free": []}, "free", id="unknown field of heterogeneity"),
        pytest.param(FORECAST | {"smoothing": 3}, "smoothing", id="smoothing is no object"),
        pytest.param(FORECAST | {"smoothing": {"A": 1, "B": 1}}, "smoothing.C", id="a weight is missing"),
        pytest.param(FORECAST | {"smoothing": {"A": 1, "B": 2, "C": 1}}, "smoothing.B", id="a weight above 1"),
        pytest.param(FORECAST | {"smoothing": {"A": 1, "B": 1, "C": None}}, "smoothing.C", id="no weight given"),
        pytest.param(FORECAST | {"pastDays": []}, "pastDays", id="no past"),
        pytest.param(FORECAST | {"pastDays": [DAY, DAY[1:]]}, "pastDays[1]", id="a short day"),
        pytest.param(FORECAST | {"pastDays": [DAY, 3]}, "pastDays[1]", id="a day that is no list"),
        pytest.param(FORECAST | {"pastDays": [[*DAY[1:], -1]]}, "pastDays[0][23]", id="a negative load"),
        pytest.param(FORECAST | {"today": DAY}, "today", id="today is over"),
        pytest.param(FORECAST | {"today": [-1]}, "today[0]", id="a negative load today"),
        pytest.param(FORECAST | {"now": -1}, "now", id="a negative load now"),
        pytest.param(FORECAST | {"hours": 24}, "hours", id="too far ahead"),
        pytest.param(FORECAST | {"hours": 1.5}, "hours", id="half an hour"),
        pytest.param(AUCTION | {"total": -1}, "total", id="negative total"),
        pytest.param(AUCTION | {"psi": 0}, "psi", id="no factor"),
        pytest.param(AUCTION | {"requireGain": 1}, "requireGain", id="a number for a choice"),
        pytest.param(AUCTION | {"events": {}}, "events", id="events are no list"),
        pytest.param(AUCTION | {"events": [3]}, "events[0]", id="an event that is no object"),
        pytest.param(AUCTION | {"events": [{}]}, "events[0].op", id="an event of no kind"),
        pytest.param(AUCTION | {"events": [{"op": ["auction"]}]}, "events[0].op", id="a list for a kind"),
        pytest.param(AUCTION | {"events": [{"op": "bid"}]}, "events[0].op", id="an unknown kind"),
        pytest.param(AUCTION | {"events": [ARRIVE, ARRIVE]}, "events[1].name", id="here already"),
        pytest.param(AUCTION | {"events": [ARRIVE | {"name": 3}]}, "events[0].name", id="a number for a name"),
        pytest.param(AUCTION | {"events": [ARRIVE | {"levels": [1, 1, 2]}]}, "events[0].levels[1]", id="equal levels"),
        pytest.param(AUCTION | {"events": [ARRIVE | {"unitTimes": [1]}]}, "events[0].unitTimes", id="times missing"),
        pytest.param(
            AUCTION | {"events": [ARRIVE | {"unitTimes": [1, 0, 1]}]}, "events[0].unitTimes[1]", id="no unit time"
        ),
        pytest.param(AUCTION | {"events": [ARRIVE | {"size": 3}]}, "events[0].size", id="unknown field of an event"),
        pytest.param(
            AUCTION | {"events": [{"op": "depart", "name": "A"}]}, "events[0].name", id="no application of that name"
        ),
        pytest.param(
            AUCTION | {"events": [{"op": "loaders", "workstations": -1}]},
            "events[0].workstations",
            id="fewer than none",
        ),
        pytest.param(
            AUCTION | {"events": [ARRIVE, {"op": "setUnitTimes", "name": "A", "unitTimes": [1]}]},
            "events[1].unitTimes",
            id="not a time a level",
        ),
        pytest.param(
            AUCTION | {"events": [ARRIVE, {"op": "setUnitTimes", "name": "A", "unitTimes": [1] * 3, "alsoKnown": [3]}]},
            "events[1].alsoKnown[0]",
            id="unknown level",
        ),
        pytest.param(
            AUCTION | {"events": [{"op": "auction", "order": ["Z"]}]}, "events[0].order[0]", id="unknown in order"
        ),
        pytest.param(
            AUCTION | {"events": [{"op": "auction", "exempt": ["Z"]}]}, "events[0].exempt[0]", id="unknown exempt"
        ),
        pytest.param(SHARES | {"total": -1}, "total", id="fewer workstations than none"),
        pytest.param(SHARES | {"total": 0.5}, "total", id="half a workstation"),
        pytest.param(SHARES | {"apps": [3]}, "apps[0]", id="an application that is no object"),
        pytest.param(SHARES | {"apps": [{"levels": [1]}]}, "apps[0].speedups", id="no speed-ups"),
        pytest.param(SHARES | {"apps": [{"levels": [], "speedups": []}]}, "apps[0].levels", id="no levels"),
        pytest.param(SHARES | {"apps": [{"levels": [-1], "speedups": [1]}]}, "apps[0].levels[0]", id="a level below 0"),
        pytest.param(SHARES | {"apps": [{"levels": [1], "speedups": [0]}]}, "apps[0].speedups[0]", id="no speed"),
        pytest.param(
            SHARES | {"total": 10**9, "apps": [{"levels": [10**9], "speedups": [1]}]}, "total", id="too large to solve"
        ),
    ],
)
def test_refusal_names_the_field(request_, want_field):
    got = answer(request_ | {"id": 1})

    assert (got["error"]["reason"], got["error"]["field"]) == ("InvalidRequest", want_field)
    assert got["error"]["message"]
    assert got.keys() == {"id", "error"}


@pytest.mark.parametrize("request_", ALL, ids=lambda request: request["problem"])
def test_missing_field_is_named(request_):
    for name in request_:
        request = {field: value for field, value in request_.items() if field != name}
        assert answer(request)["error"] == {"reason": "InvalidRequest", "field": name, "message": "is required"}
