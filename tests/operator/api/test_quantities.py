"""Kubernetes' spellings of amounts, spans and times."""

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.api.quantities import as_request, base_units, duration_seconds, epoch_seconds, ratio, resources, rfc3339
from lockstep.facts.pods.pod import LARGEST_AMOUNT

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "quantity", "want"),
    [
        ("cpu", "1", 1000),
        ("cpu", 2, 2000),
        ("cpu", "250m", 250),
        ("cpu", "0.5", 500),
        ("cpu", "1e3", 1_000_000),
        ("memory", "1Ki", 1024),
        ("memory", "1k", 1000),
        ("memory", "1.5Gi", 1_610_612_736),
        ("memory", "128974848", 128_974_848),
        ("memory", "129e6", 129_000_000),
        ("cpu", 0.5, 500),
        ("cpu", "+.5", 500),
        ("cpu", " 1 ", 1000),
        ("cpu", "1.", 1000),
        ("memory", 1e-07, 1),
        ("memory", 1e14, 10**14),
        ("memory", "1E-3", 1),
        ("example.com/gpu", "4", 4),
        ("example.com/gpu", 4, 4),
        ("pods", "110", 110),
        ("memory", "0", 0),
    ],
)
def test_amount_in_base_units(name, quantity, want):
    assert base_units(name, quantity) == want


@pytest.mark.parametrize(
    ("name", "quantity", "want"),
    [
        pytest.param("cpu", "1u", 1, id="a millionth of a CPU is one thousandth"),
        pytest.param("cpu", "100500u", 101, id="100.5 milli-CPU are 101"),
        pytest.param("cpu", "1n", 1, id="nano-CPU"),
        pytest.param("memory", "100m", 1, id="a tenth of a byte is one"),
        pytest.param("memory", "1500m", 2, id="one and a half bytes are two"),
        pytest.param("memory", "0.0000001Ki", 1, id="less than a byte is one"),
    ],
)
def test_amount_is_rounded_up(name, quantity, want):
    assert base_units(name, quantity) == want


@given(st.integers(min_value=0, max_value=LARGEST_AMOUNT))
def test_milli_cpu_survives_exactly(amount):
    assert base_units("cpu", f"{amount}m") == amount


@pytest.mark.parametrize(
    "quantity",
    ["2Ei", "1e30", "9300000000000000000", "1e1000000", "1E2147483648", 10**30, 1e300, "1e" + 90 * "9", 100 * "9"],
    ids=str,
)
@pytest.mark.parametrize("name", ["cpu", "memory"])
def test_amount_ends_at_the_largest(name, quantity):
    assert base_units(name, quantity) == LARGEST_AMOUNT


@pytest.mark.parametrize("quantity", ["-1", "-1n", "-1e1000000", -5, "-0", "-0.5", "1e-1000000", "0e1000000"])
def test_amount_is_never_below_nothing(quantity):
    assert base_units("memory", quantity) == (1 if quantity == "1e-1000000" else 0)


@pytest.mark.parametrize(
    "quantity",
    ["", "x", "1e", "1KiB", "1 Gi", "1_000", "NaN", "Infinity", "٣", "0x10", "--1", "1e1.5", None, True, "1" * 101],
    ids=str,
)
def test_what_is_no_quantity_is_said(quantity):
    with pytest.raises(ValueError, match="quantity"):
        base_units("memory", quantity)


def test_sums_of_the_largest_gang_fit_into_an_integer_of_an_array():
    assert 10_000 * LARGEST_AMOUNT < 2**63


@pytest.mark.parametrize(("quantity", "want"), [("250m", 0.25), ("1.6", 1.6), (0, 0.0), (2, 2.0), ("1600m", 1.6)])
def test_ratio(quantity, want):
    assert ratio(quantity) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("90s", 90),
        ("1h30m", 5400),
        ("200ms", 0.2),
        ("1.5h", 5400),
        ("0s", 0),
        ("100us", 0.0001),
        ("5h8m", 18480),
        ("1000h", 3_600_000),
    ],
)
def test_duration(text, want):
    assert duration_seconds(text) == pytest.approx(want)


@pytest.mark.parametrize("text", ["9" * 101, "9" * 1_000_000, "1s" * 1_000])
def test_duration_that_is_too_long_to_be_read_is_refused_unread(text):
    with pytest.raises(ValueError, match=f"a duration of {len(text)} characters is too long"):
        duration_seconds(text)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-20T18:00:00Z",
        "2026-11-20T20:00:00+02:00",
        "2026-11-20T18:00:00.000000Z",
        "2026-11-20T18:00:00.000Z",
    ],
)
def test_time(text):
    assert epoch_seconds(text) == datetime.fromisoformat("2026-11-20T18:00:00+00:00").timestamp()


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("2026-11-20t18:00:00z", "2026-11-20T18:00:00Z", id="lower case"),
        pytest.param("2026-11-20T18:00:00.123456789Z", "2026-11-20T18:00:00Z", id="nanoseconds"),
        pytest.param("2026-11-20T18:00:00,5Z", "2026-11-20T18:00:00Z", id="a comma"),
        pytest.param("2026-11-24T21:00:00+99:00", "2026-11-20T18:00:00Z", id="ninety-nine hours ahead"),
        pytest.param("2026-11-16T14:21:00-99:39", "2026-11-20T18:00:00Z", id="ninety-nine hours behind"),
        pytest.param("2026-11-20T17:59:60Z", "2026-11-20T18:00:00Z", id="a leap second"),
        pytest.param("2026-11-20T18:00:00ZT", "2026-11-20T18:00:00Z", id="what comes after is not looked at"),
        pytest.param("0000-02-29T12:00:00Z", "0001-01-01T00:00:00Z", id="the year 0 is spelled as the first time"),
        pytest.param("0001-01-01T00:00:00+99:59", "0001-01-01T00:00:00Z", id="before the first time"),
        pytest.param("9999-12-31T23:59:59-99:59", "9999-12-31T23:59:59Z", id="beyond the last time"),
    ],
)
def test_unusual_time_is_read(text, want):
    seconds = epoch_seconds(text)

    assert seconds is not None
    assert rfc3339(seconds - seconds % 1) == want


def test_year_0_is_a_leap_year_before_the_year_1():
    assert epoch_seconds("0001-01-01T00:00:00Z") - epoch_seconds("0000-01-01T00:00:00Z") == 366 * 86_400


@given(st.datetimes(), st.integers(-1439, 1439))
def test_times_are_read_as_the_standard_library_does(local, minutes):
    time = local.replace(tzinfo=timezone(timedelta(minutes=minutes)))

    assert epoch_seconds(time.isoformat()) == pytest.approx((time - EPOCH).total_seconds(), abs=1e-4)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2026-11-20",
        "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-11-20T24:00:00Z",
        "2026-11-20T00:60:00Z",
        "2026-11-20T00:00:61Z",
    ],
)
def test_what_is_no_time_is_said(text):
    with pytest.raises(ValueError, match=r"time|month|day"):
        epoch_seconds(text)


@pytest.mark.parametrize(
    ("seconds", "want"),
    [(math.inf, "9999-12-31T23:59:59Z"), (-math.inf, "0001-01-01T00:00:00Z"), (1e300, "9999-12-31T23:59:59Z")],
)
def test_time_that_cannot_be_formatted_becomes_the_nearest_that_can(seconds, want):
    assert rfc3339(seconds) == want


def test_absent_time_stays_absent():
    assert epoch_seconds(None) is None


@given(st.integers(min_value=0, max_value=4_000_000_000))
def test_whole_seconds_survive_spelling(seconds):
    assert epoch_seconds(rfc3339(seconds)) == seconds


@given(st.floats(min_value=0, max_value=4e9))
def test_spelling_rounds_to_the_nearest_second(seconds):
    formatted = epoch_seconds(rfc3339(seconds))

    assert formatted is not None
    assert abs(formatted - seconds) <= 0.5


def test_resource_list_is_optional():
    assert resources(None) == {}
    assert resources({"cpu": "1", "memory": "1Ki"}) == {"cpu": 1000, "memory": 1024}


def test_request_is_sorted_without_zeros():
    assert as_request({"memory": 1, "cpu": 2, "example.com/gpu": 0}) == (("cpu", 2), ("memory", 1))


def test_request_has_no_amount_outside_the_bounds():
    request = as_request({"cpu": 3 * LARGEST_AMOUNT, "memory": -1})

    assert request == (("cpu", LARGEST_AMOUNT),)


def test_equal_requests_are_one_object():
    assert as_request({"cpu": 2, "memory": 1}) is as_request({"memory": 1, "cpu": 2})
