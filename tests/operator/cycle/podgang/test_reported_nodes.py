"""Where reports show the pods of a Gang that are placed, and how they count them."""

import pytest
from prometheus_client import CollectorRegistry

from fake_cluster.jumping import now, until
from fake_cluster.pod_gangs import add_pods, bound, create, is_placed
from fake_cluster.rig import operator_over
from lockstep.report.metrics.gauges import refreshing
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.timeline import draw, freeze

pytestmark = pytest.mark.asyncio


def drawn(state):
    """The picture of the timeline, without plans."""
    return draw(freeze(state, (), planned_at=now(), now=now()))


def slots_in_use(state):
    metrics = Metrics(CollectorRegistry())
    for _ in refreshing(metrics, state, now(), ()):
        pass
    return metrics.registry.get_sample_value("lockstep_slots", {"state": "in_use"})


async def test_placed_pods_are_on_the_timeline_and_in_the_metrics():
    async with operator_over() as (api, parts):
        create(api, "a", "b", "c")
        await until(lambda: is_placed(api))
        await until(lambda: not parts.state.reservations)
        before = now()

        [gang] = drawn(parts.state)["gangs"]
        assert (gang["stage"], gang["size"]) == ("placed", 3)
        assert gang["start"] <= before
        assert drawn(parts.state)["waiting"] == []
        assert slots_in_use(parts.state) == 3

        add_pods(api, "d")
        await until(lambda: len(bound(api)) == 4 and not parts.state.reservations)

        assert [one["size"] for one in drawn(parts.state)["gangs"]] == [4]
        assert slots_in_use(parts.state) == 4
