"""Sweeps of a file: their size and their first runs, without anything that is written."""

import pytest
import yaml

from builders.served import gang, node
from coschedule import Promises
from fake_cluster.rig import api_with
from fake_cluster.sweeps import parameters, sweep
from lockstep.answers.plan.planned import plan_now, start_times
from lockstep.answers.plan.rules import PlanRules
from lockstep.answers.reading.cluster import one_client, read_cluster
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.supposing.manifests import read_manifests
from lockstep.answers.supposing.supposed_sweeps import RefusedSweep, sorted_out, suppose_sweep
from lockstep.answers.sweeps.planned_sweep import planned_sweep, sweep_plan_document, sweep_plan_lines
from lockstep.belief.state import State
from lockstep.cycle.planning.holds import HoldPolicy
from lockstep.cycle.planning.sizing import SizingPolicy
from lockstep.facts.sizing import Sizing

pytestmark = pytest.mark.asyncio

NOW = 1_000_000.0
RULES = PlanRules(
    sizing=SizingPolicy(sizing=Sizing.BALANCED), promises=Promises.SLACK, holds=HoldPolicy(seconds=600, gangs=4)
)
RANGE = {"size": {"min": 1, "max": 4}, "work": {"serialTime": "1h", "overhead": {"perMember": "60s"}}}


def config_map(text, **more):
    return {"apiVersion": "v1", **parameters(text, **more)}


async def planned(api, *objects):
    """The answer about the sweep of a file with these objects."""
    file = sorted_out(read_manifests(yaml.safe_dump_all(objects), namespace="default"), NOW)
    state = State(lambda: None, gate_image="gate")
    async with one_client(api.configuration) as client:
        await read_cluster(client, state, kind_read=lambda: None)
        [found] = [await suppose_sweep(client, state, one, file.config_maps, NOW) for one in file.sweeps]
    if isinstance(found, RefusedSweep):
        return found
    made = plan_now(state, RULES, NOW, asked=found.first)
    return planned_sweep(found, start_times(made.preempting.plan.decisions), NOW)


async def test_size_number_side_by_side_and_end_are_said_and_nothing_is_written():
    """40 runs of 1 h of one member, on 16 places: five turns of eight runs of two members."""
    async with api_with() as api:
        answer = await planned(api, sweep(runs=40, template={**gang("x")["spec"], **RANGE}))
        assert api.writes == []
        assert api.store.objects("gangsweeps") == api.store.objects("gangjobs") == []
    found = sweep_plan_document(answer)
    assert (found["runs"], found["planned"], found["startNow"]) == (40, 8, 8)
    assert (found["size"]["members"], found["size"]["sideBySide"]) == (2, 8)
    assert found["size"]["seconds"] == answer.finish - NOW == 5 * 1920
    assert "8 of its first 8 runs would start now." in " ".join(sweep_plan_lines(answer))


async def test_runs_have_the_parameters_of_the_file():
    """One line a run; a ConfigMap without the mark is refused, and the sentence says how to set it."""
    wanted = sweep(runs=None, parametersFrom={"configMap": "p"})
    async with api_with() as api:
        answer = await planned(api, config_map("A\n1\n2\n3\n"), wanted)
        refused = await planned(api, config_map("A\n1\n", immutable=False), wanted)
        with pytest.raises(AnswerError, match="ConfigMap default/p is neither in the file nor in the cluster"):
            await planned(api, wanted)
        api.store.create("configmaps", parameters("A\n1\n2\n"))
        of_cluster = await planned(api, wanted)
    assert (answer.supposed.runs, of_cluster.supposed.runs) == (3, 2)
    assert "kubectl patch configmap p" in " ".join(" ".join(sweep_plan_lines(refused)).split())


async def test_runs_that_fit_nowhere_have_no_start():
    async with api_with(node("n1", cpu="1")) as api:
        answer = await planned(api, sweep(runs=4, template=gang("x", size=20)["spec"]))
    assert (answer.start, answer.finish) == (None, None)
    assert "Its first run has no place now" in " ".join(" ".join(sweep_plan_lines(answer)).split())


async def test_template_that_is_refused_is_said():
    async with api_with() as api:
        answer = await planned(api, sweep(template=gang("x", pod_spec={"schedulerName": "other"})["spec"]))
    assert "would be refused: template:" in " ".join(sweep_plan_lines(answer))
    assert "schedulerName" in sweep_plan_document(answer)["refused"]
