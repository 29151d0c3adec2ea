"""Forecasts of presence become probabilities of return."""

import random
from math import prod

import pytest

from lockstep.agent.bid.offering import offer_of
from lockstep.agent.measuring.measured import HourAhead, Measured


def returns(*present):
    """The probabilities of return that follow from these of being there, hour by hour."""
    unknown = dict.fromkeys(Measured.__dataclass_fields__)
    hours = tuple(HourAhead(3600.0 * number, 0.0, one) for number, one in enumerate(present))
    return [hour.owner_returns for hour in offer_of(Measured(**{**unknown, "forecast": hours})).forecast]


@pytest.mark.parametrize(
    ("present", "want"),
    [
        pytest.param((), [], id="nothing is known"),
        pytest.param((0.0, 0.5, 0.75), [0.0, 0.5, 0.5], id="likelier each hour"),
        pytest.param((0.5, 0.5, 0.25), [0.5, 0.0, 0.0], id="as likely, and less"),
        pytest.param((0.04, 0.5, 0.04), [0.0, 0.5, 0.0], id="hardly ever"),
        pytest.param((1.0, 1.0, 0.0, 1.0), [1.0, 0.0, 0.0, 1.0], id="certain"),
    ],
)
def test_owner_returns_where_being_there_becomes_likelier(present, want):
    assert returns(*present) == pytest.approx(want)


def test_owner_has_stayed_away_until_an_hour_at_most_as_probably_as_the_owner_is_away():
    chance = random.Random(7)  # noqa: S311 - a property is tried, nothing is kept secret
    for _ in range(500):
        present = [chance.uniform(0.05, 1.0) for _ in range(chance.randint(1, 24))]

        found = returns(*present)

        assert all(0 <= one <= 1 for one in found)
        for end in range(1, len(present) + 1):
            assert prod(1 - one for one in found[:end]) <= 1 - max(present[:end]) + 1e-9
