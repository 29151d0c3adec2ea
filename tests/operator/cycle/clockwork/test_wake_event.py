"""For how long changes have waited for the cycle."""

import pytest

from lockstep.cycle.clockwork.wake_event import WakeEvent


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def woken(clock):
    return WakeEvent(monotonic=clock)


def test_no_change_waits_for_no_time(woken, clock):
    clock.now = 60

    assert woken.seconds == 0


def test_changes_wait_since_the_first_of_them(woken, clock):
    clock.now = 10
    woken.set()
    clock.now = 15
    woken.set()
    clock.now = 17

    assert woken.seconds == 7


def test_what_was_reconciled_waits_no_more(woken, clock):
    woken.set()
    clock.now = 5
    woken.clear()

    assert woken.seconds == 0


def test_change_that_is_renewed_waits_since_then(woken, clock):
    woken.set()
    clock.now = 5
    woken.renew()
    clock.now = 7

    assert woken.seconds == 2
