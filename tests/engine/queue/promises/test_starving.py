"""A gang that needs all nodes at once, among small ones that never cease to come and each fit at once."""

import pytest

from coschedule.queue.problem.promise_kinds import Promises
from engine.builders import NOW, gang, node
from engine.queue.promises.histories import History

WIDTH = 4
SMALL_SECONDS = 10
# A small gang every 3 s: three nodes of four are busy at least, and none is idle for long.
PAUSE_SECONDS = 3.0
STREAM = 200


def stream_past_a_wide_gang(promises):
    """Have a wide gang wait among small ones that keep coming; returns when each gang started."""
    history = History([node(f"n{number}") for number in range(WIDTH)], promises)
    for number in range(STREAM):
        if number == WIDTH:
            history.submit(gang("wide", size=WIDTH, serial=WIDTH * 20))
        history.submit(gang(f"s{number:03}", serial=SMALL_SECONDS))
        history.decide()
        until = history.now + PAUSE_SECONDS
        while history.now < until:
            history.go_to(until)
            history.decide()
    return history


@pytest.mark.parametrize("promises", [Promises.SLACK, Promises.CONSERVATIVE, Promises.EASY])
def test_wide_gang_starts_among_small_ones_that_never_cease(promises):
    history = stream_past_a_wide_gang(promises)

    assert history.started["wide"] <= NOW + WIDTH * PAUSE_SECONDS + 2 * SMALL_SECONDS
    assert history.started["wide"] <= history.promised["wide"][0]
    assert len(history.started) > STREAM / 2, "small gangs go on behind it"


def test_wide_gang_waits_for_ever_where_nothing_is_promised():
    """So it is the promise that brings it to its turn, not a gap in the stream."""
    history = stream_past_a_wide_gang(Promises.NONE)

    assert "wide" not in history.started
    assert len(history.started) >= STREAM - WIDTH
