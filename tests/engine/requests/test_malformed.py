"""What can be wrong with one place of a request: it gets one error that names the place, and the next line an answer.

Fields are left out, added, doubled, and given every wrong type and value, at every depth, for every problem.
"""

import io
import json
import re

import pytest

from coschedule.__main__ import serve
from coschedule.requests.answer import PROBLEMS
from engine.requests.full_requests import FULL, at, places, replaced, without, written

GOOD = {"id": "good", "problem": "heterogeneity", "weights": [1]}

OPTIONAL = {
    *("id", "deadline", "objective", "price", "overhead", "requireGain", "order", "exempt", "alsoKnown"),
    *("start", "dutyCycle", "capacity", "until", "slots", "slowdowns", "fixed", "perLogMember"),
}
NULLABLE = {"id", "deadline", "until", "slowdowns", "order"}
WHOLE = {"slots", "min", "max", "pieces", "hours", "total", "levels", "workstations", "alsoKnown"}
ABOVE_ZERO = {
    *("capacity", "slots", "slowdowns", "serial", "times", "min", "max", "pieces", "speeds", "secondsPerPiece"),
    *("weights", "psi", "unitTimes", "speedups"),
}
AT_MOST_ONE = {"free", "A", "B", "C"}

MISSED_AS = {"work.times": "work.serial"}
"""Work without any field is asked for the one that the other kind needs."""

NO_NUMBERS = [
    *("true", '"x"', '""', '"1/0"', '"1.5"', '"1/-2"', '"٣"', "[]", "{}", "NaN", "Infinity", "-Infinity"),
    *("1e999999999", "1e-999999999", "1e99999999999999999999", "1e-300", str(10**19), "9" * 5000, f'"{"9" * 5000}"'),
    *("-1", '"-1/2"', "-1e18"),
]
NO_LISTS = ["true", "3", '"x"', "{}", "NaN"]
NO_OBJECTS = ["null", "true", "3", '"x"', "[]", "NaN"]
NO_TRUTHS = ["null", "0", '"true"', "[]", "{}", "NaN"]
NO_STRINGS = ["null", "true", "3", "[]", "{}", "NaN", '["auction"]']
NO_IDS = ["[]", "{}", "NaN", "-Infinity", "1e999"]


def field_of(path):
    """Name the field that a place belongs to; speeds by name are speeds."""
    if path[0] == "speeds":
        return "speeds"
    return [key for key in path if isinstance(key, str)][-1]


def is_optional(request, path):
    return field_of(path) in OPTIONAL or (field_of(path) == "perMember" and path[0] == "work")


def wrong_values(request, path):
    """List what may not stand at a place, as JSON."""
    field, value = field_of(path), at(request, path)
    null = [] if field in NULLABLE and not isinstance(path[-1], int) else ["null"]
    if field == "id":
        return NO_IDS
    if isinstance(value, bool):
        return NO_TRUTHS
    if isinstance(value, dict):
        return NO_OBJECTS
    if isinstance(value, list) or (value is None and field in ("slowdowns", "order")):
        return NO_LISTS + null
    if isinstance(value, str) and not re.fullmatch(r"[0-9]+/[0-9]+", value):
        return NO_STRINGS + ['"unknown"'] * is_one_of_a_few(request, path)
    return NO_NUMBERS + null + out_of_range(request["problem"], field)


def is_one_of_a_few(request, path):
    """Return whether a string is a choice or the name of something that must be there."""
    field = field_of(path)
    names_an_application = field == "name" and at(request, path[:-1])["op"] != "arrive"
    return names_an_application or field in {"problem", "op", "objective", "overhead", "freeBySlice", "order", "exempt"}


def out_of_range(problem, field):
    values = ["0"] * (field in ABOVE_ZERO or (problem, field) == ("auction", "levels"))
    values += ["1.5", '"1/2"'] * (field in WHOLE)
    return values + ['"9/8"'] * (field in AT_MOST_ONE or (problem, field) == ("heterogeneity", "weights"))


def fields_of(request):
    return [path for path in places(request) if isinstance(path[-1], str)]


def objects_of(request):
    return [(), *(path for path in places(request) if isinstance(at(request, path), dict))]


def wrongly_filled(request):
    for path in places(request):
        marked = json.dumps(replaced(request, path, "@"))
        for value in wrong_values(request, path):
            yield marked.replace('"@"', value), written(path)


def with_a_field_missing(request):
    for path in fields_of(request):
        if not is_optional(request, path) and path[:-1] != ("speeds",):
            yield json.dumps(without(request, path)), MISSED_AS.get(written(path), written(path))


def with_a_field_too_many(request):
    for path in objects_of(request):
        yield json.dumps(replaced(request, (*path, "unknown"), None)), written((*path, "unknown"))


def with_a_field_doubled(request):
    for path in fields_of(request):
        doubled = replaced(request, (*path[:-1], "@"), at(request, path))
        yield json.dumps(doubled).replace('"@"', json.dumps(path[-1])), written(path)


def serve_lines(lines):
    answers = io.BytesIO()
    serve(io.BytesIO("".join(line + "\n" for line in lines).encode()), answers)
    return [json.loads(line) for line in answers.getvalue().splitlines()]


def assert_each_is_refused_by_name(cases, identity):
    """Serve what is wrong, each followed by a good line."""
    good = json.dumps(GOOD)
    got = serve_lines([line for text, _ in cases for line in (text, good)])

    assert len(got) == 2 * len(cases)
    for (text, want_field), answer, next_answer in zip(cases, got[::2], got[1::2], strict=True):
        assert answer.keys() == {"id", "error"}, text
        assert answer["id"] == (None if want_field == "id" else identity), text
        assert answer["error"].keys() == {"reason", "field", "message"}, text
        assert (answer["error"]["reason"], answer["error"]["field"]) == ("InvalidRequest", want_field), text
        assert answer["error"]["message"], text
        assert next_answer["id"] == "good"
        assert next_answer["power"] == 1


def test_requests_show_every_problem_and_every_field():
    assert {request["problem"] for request in FULL} == set(PROBLEMS)
    for request in FULL:
        [answer] = serve_lines([json.dumps(request | {"unknown": 1})])
        known = set(answer["error"]["message"].partition("known are ")[2].split(", "))
        assert known == set(request), request["problem"]


@pytest.mark.parametrize("request_", FULL, ids=lambda request: request["problem"])
def test_request_is_answered_with_and_without_what_may_be_absent(request_):
    sparse = [without(request_, path) for path in fields_of(request_) if is_optional(request_, path)]

    for answer in serve_lines([json.dumps(request) for request in [request_, *sparse]]):
        assert "error" not in answer


@pytest.mark.parametrize("damage", [wrongly_filled, with_a_field_missing, with_a_field_too_many, with_a_field_doubled])
@pytest.mark.parametrize("request_", FULL, ids=lambda request: request["problem"])
def test_what_is_wrong_is_refused_by_name(request_, damage):
    cases = list(damage(request_))

    assert cases
    assert_each_is_refused_by_name(cases, request_["id"])
