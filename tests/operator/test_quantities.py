"""Kubernetes' spellings of amounts, spans and times."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.watch.quantities import as_request, base_units, duration_seconds, epoch_seconds, ratio, resources, rfc3339


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
        ("memory", "2Ei", 2**61),
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


@given(st.integers(min_value=0, max_value=10**15))
def test_milli_cpu_survives_exactly(amount):
    assert base_units("cpu", f"{amount}m") == amount


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


def test_absent_time_stays_absent():
    assert epoch_seconds(None) is None


@given(st.integers(min_value=0, max_value=4_000_000_000))
def test_whole_seconds_survive_spelling(seconds):
    assert epoch_seconds(rfc3339(seconds)) == seconds


@given(st.floats(min_value=0, max_value=4e9))
def test_spelling_rounds_to_the_nearest_second(seconds):
    spelled = epoch_seconds(rfc3339(seconds))

    assert spelled is not None
    assert abs(spelled - seconds) <= 0.5


def test_resource_list_is_optional():
    assert resources(None) == {}
    assert resources({"cpu": "1", "memory": "1Ki"}) == {"cpu": 1000, "memory": 1024}


def test_request_is_sorted_without_zeros():
    assert as_request({"memory": 1, "cpu": 2, "example.com/gpu": 0}) == (("cpu", 2), ("memory", 1))


def test_equal_requests_are_one_object():
    assert as_request({"cpu": 2, "memory": 1}) is as_request({"memory": 1, "cpu": 2})
