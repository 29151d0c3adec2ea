"""How deep the last plan went and how long plans take, as Prometheus reads it from a whole operator."""

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from builders.served import gang
from fake_cluster.jumping import until
from fake_cluster.rig import INLINE, gang_place, is_placed, operator_over, set_phases, status_of
from lockstep.cycle.planning.planning import PlanOptions

pytestmark = pytest.mark.asyncio

DEPTH = "lockstep_planned_gangs", ()
PLANS, SECONDS = ((f"lockstep_cycle_duration_seconds_{one}", (("stage", "plan"),)) for one in ("count", "sum"))


def exported(parts):
    """All series, by name and labels."""
    families = text_string_to_metric_families(generate_latest(parts.metrics.registry).decode())
    return {(one.name, tuple(one.labels.items())): one.value for family in families for one in family.samples}


def submit(api, name):
    api.store.create("gangjobs", gang(name, size=2, cpu="8", spec={"work": {"serialTime": "1h"}}))


async def test_depth_is_how_many_wait_and_each_plan_takes_some_time():
    async with operator_over() as (api, parts):
        assert exported(parts)[DEPTH] == 0
        submit(api, "runs")
        await until(lambda: is_placed(api, "runs"))
        set_phases(api, "runs", "Running")
        for name in ("a", "b", "c"):
            submit(api, name)
        await until(lambda: all(status_of(api, name).get("plan") for name in ("a", "b", "c")))
        waiting = exported(parts)

        assert waiting[DEPTH] == 3
        assert waiting[PLANS] >= 2, "one for what runs, one for who waits"
        assert 0 < waiting[SECONDS] < float("inf")

        for name in ("a", "b", "c"):
            api.store.remove(gang_place(name))
        await until(lambda: exported(parts)[DEPTH] == 0)
        assert exported(parts)[PLANS] >= waiting[PLANS]
        assert exported(parts)[SECONDS] >= waiting[SECONDS]


async def test_depth_is_those_in_front_and_a_quarter_as_many_in_turn():
    plans = PlanOptions(run=INLINE.run, most_in_front=4)
    async with operator_over(plans=plans) as (api, parts):
        for number in range(20):
            submit(api, f"g{number:02}")
        await until(lambda: status_of(api, "g19").get("conditions"))

        assert exported(parts)[DEPTH] == 5
