"""What a NodeBid may say, and the sentence that answers what it may not."""

import pytest

EVENING = "2026-11-20T18:00:00Z"
MORNING = "2026-11-21T07:00:00Z"
NOT_CHECKED = (
    ", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid;"
    " correct the existing errors to complete validation]"
)
DUTY = 'dutyCycle must be a quantity from 0 to 1000, such as 250m or "0.25".'
CAPACITY = 'capacity must be a quantity from 1m to 1000, such as 1600m or "1.6".'


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({}, id="nothing but defaults"),
        pytest.param({"dutyCycle": "250m", "capacity": "1.6", "slots": 1}, id="a loaded fast node"),
        pytest.param({"dutyCycle": 0, "capacity": 2, "slots": 10_000}, id="whole numbers"),
        pytest.param({"dutyCycle": "1000", "capacity": "1m"}, id="the slowest node"),
        pytest.param({"availableFrom": EVENING, "availableUntil": MORNING, "expiresAt": EVENING}, id="a night"),
        pytest.param({"availableFrom": "2026-11-20T18:00:00.123456789+01:00"}, id="a time with fractions and a zone"),
        pytest.param(
            {"ownerPresent": True, "forecast": [{"from": EVENING, "dutyCycle": "250m", "ownerReturns": "0.1"}]},
            id="an owner who is there, and an hour to come",
        ),
        pytest.param({"forecast": [{"from": MORNING}, {"from": EVENING}]}, id="hours of which nothing is known"),
        pytest.param({"onReturn": "Evict", "gracePeriodSeconds": 0}, id="an owner who wants his node at once"),
    ],
)
def test_nodebid_accepts(answer_to_bid, spec):
    assert answer_to_bid(spec) == ""


@pytest.mark.parametrize(
    ("field", "value", "want"),
    [
        pytest.param("dutyCycle", -1, f"-1: {DUTY}", id="a negative duty cycle"),
        pytest.param("dutyCycle", "-250m", f'"-250m": {DUTY}', id="a slightly negative duty cycle"),
        pytest.param("dutyCycle", "1001", f'"1001": {DUTY}', id="more local work than a node can bear"),
        pytest.param("dutyCycle", "half", f'"half": {DUTY}', id="a duty cycle that is no quantity"),
        pytest.param("capacity", 0, f"0: {CAPACITY}", id="no capacity"),
        pytest.param("capacity", "-1", f'"-1": {CAPACITY}', id="a negative capacity"),
        pytest.param("capacity", "1001", f'"1001": {CAPACITY}', id="a capacity out of this world"),
        pytest.param("capacity", "", f'"": {CAPACITY}', id="an empty capacity"),
        pytest.param("slots", 0, "0: spec.slots in body should be greater than or equal to 1", id="no slot"),
        pytest.param(
            "slots", 10_001, "10001: spec.slots in body should be less than or equal to 10000", id="too many slots"
        ),
    ],
)
def test_nodebid_refuses(answer_to_bid, field, value, want):
    assert answer_to_bid({field: value}) == f"spec.{field}: Invalid value: {want}"


@pytest.mark.parametrize("until", [EVENING, "2026-11-20T17:59:59Z", "2026-11-20T18:30:00+01:00"])
def test_nodebid_refuses_window_that_ends_before_it_begins(answer_to_bid, until):
    answer = answer_to_bid({"availableFrom": EVENING, "availableUntil": until})

    assert answer == "spec.availableUntil: Invalid value: availableUntil must be later than availableFrom."


@pytest.mark.parametrize("text", ["tomorrow", "2026-11-20", "2026-11-20T18:00:00", "2026-13-20T18:00:00Z"])
@pytest.mark.parametrize("field", ["availableFrom", "availableUntil", "expiresAt"])
def test_nodebid_refuses_time(answer_to_bid, field, text):
    want = (
        f'[spec.{field}: Invalid value: "{text}": spec.{field} in body must be of type date-time: "{text}"{NOT_CHECKED}'
    )

    assert answer_to_bid({field: text}) == want


def test_nodebid_refuses_a_float(answer_to_bid):
    answer = answer_to_bid({"capacity": 1.6})

    assert 'spec.capacity: Invalid value: "number": spec.capacity in body must be of type integer,string' in answer


def test_nodebid_refuses_unknown_field(answer_to_bid):
    assert answer_to_bid({"slot": 1}).endswith('strict decoding error: unknown field "spec.slot"')


@pytest.mark.parametrize(
    ("forecast", "want"),
    [
        pytest.param(
            [{"from": EVENING, "ownerReturns": "1.5"}],
            'spec.forecast[0].ownerReturns: Invalid value: "1.5": '
            'ownerReturns must be a quantity from 0 to 1, such as 250m or "0.25".',
            id="more than certain",
        ),
        pytest.param([{"dutyCycle": 0}], "spec.forecast[0].from: Required value", id="an hour without a beginning"),
        pytest.param(
            [{"from": EVENING}, {"from": EVENING}],
            f'spec.forecast[1]: Duplicate value: {{"from":"{EVENING}"}}',
            id="an hour twice",
        ),
    ],
)
def test_nodebid_refuses_forecast(answer_to_bid, forecast, want):
    assert want in answer_to_bid({"forecast": forecast})


def test_nodebid_refuses_more_than_two_days_of_forecast(answer_to_bid):
    hours = [{"from": f"2026-11-{20 + hour // 24}T{hour % 24:02}:00:00Z"} for hour in range(49)]

    assert "spec.forecast: Too many: 49: must have at most 48 items" in answer_to_bid({"forecast": hours})
