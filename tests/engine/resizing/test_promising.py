"""Promises beside gangs whose sizes may change have more slack than others."""

from dataclasses import replace

import pytest

from coschedule.queue.problem.promise_kinds import Promises
from coschedule.resizing.gangs.sized_run import ChangeTerms
from coschedule.resizing.resize import resize
from engine.builders import NOW, gang, node, release, snapshot

WAITS = gang("waits", serial=600, size=1, created=NOW)


def promise(waits, *, elastic, promises=Promises.SLACK):
    """Return what is promised to a gang that waits until the only node is free."""
    waiting = snapshot([node("n", free=0)], [waits], releases=[release(0, NOW + 9_000)])
    terms = {waits.key: ChangeTerms()} if elastic else {}
    [decision] = resize(replace(waiting, promises=promises), [], terms).plan.decisions
    return decision.promised


@pytest.mark.parametrize(
    ("elastic", "promises", "want"),
    [
        (True, Promises.SLACK, NOW + 9_000 + 600),
        (False, Promises.SLACK, NOW + 9_000 + 200),
        (True, Promises.CONSERVATIVE, NOW + 9_000),
    ],
    ids=["beside an elastic gang", "without elastic gangs", "without slack"],
)
def test_a_new_promise_has_a_whole_run_time_of_slack_beside_elastic_gangs(elastic, promises, want):
    assert promise(WAITS, elastic=elastic, promises=promises) == want


@pytest.mark.parametrize("elastic", [True, False])
def test_a_promise_that_can_be_kept_stays_as_it_is(elastic):
    waits = WAITS.remembering(NOW + 20_000, None)

    assert promise(waits, elastic=elastic) == NOW + 20_000
