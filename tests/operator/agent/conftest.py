"""Hours of the clock are those of UTC, wherever the tests run."""

import time

import pytest


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
