"""Hours of the clock are those of UTC, wherever the tests run, and the benchmark is short."""

import time

import pytest

from lockstep.agent.measuring import capacity


@pytest.fixture(autouse=True)
def in_zone(monkeypatch):
    """Set the time zone of the process; UTC at first."""

    def be_in(zone):
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    be_in("UTC")
    yield be_in
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(autouse=True)
def _short_benchmark(monkeypatch):
    """What a run of it says is nothing here, so it need not take 50 ms."""
    monkeypatch.setattr(capacity, "ROUNDS", 1000)
