"""Kueue takes quota back from gangs whose pods do not become ready in time, and lets them come again."""

from collections.abc import Iterator

import pytest

from builders.manifests import NEVER_RUNS, gang
from e2e.controllers.kueue import CHECKED, Queue, has_condition, kueue_controller
from e2e.controllers.queued_gangs import QUOTA, QueuedGangs
from e2e.controllers.queued_jobs import Scenery
from e2e.controllers.scenes import SIZE, Stage
from eventually import eventually
from sandbox import Sandbox

NEVER = {NEVER_RUNS: "true"}


@pytest.fixture(scope="module")
def controller(plane: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Kueue, which waits for pods for 20 seconds, and lets the gang come again ten seconds later."""
    again = {"backoffBaseSeconds": 10, "backoffMaxSeconds": 10}
    waits = {"waitForPodsReady": {"timeout": "20s", "blockAdmission": False, "requeuingStrategy": again}}
    with kueue_controller(plane, tmp_path_factory.mktemp("kueue"), **waits):
        yield


@pytest.fixture
def scenery(controller: None, stage: Stage) -> Iterator[Scenery]:
    """A queue with a quota for one gang, and with our check."""
    scenery = Scenery(stage, Queue(stage.arena.api, stage.arena.namespace, cpu=SIZE, **CHECKED))
    yield scenery
    scenery.close()


@pytest.fixture
def gangs(controller: None, members_may_end: None, stage: Stage) -> Iterator[QueuedGangs]:
    """A queue for GangJobs, with our check."""
    gangs = QueuedGangs(stage, **CHECKED)
    yield gangs
    gangs.close()


def is_late(queue: Queue) -> bool:
    """Whether Kueue has taken the quota back because pods were not ready."""
    workload = queue.workload("heat")
    conditions = {one["type"]: one["reason"] for one in workload.get("status", {}).get("conditions", [])}
    return conditions.get("Evicted") == "PodsReadyTimeout" and not has_condition(workload, "QuotaReserved")


def test_job_whose_pods_never_run_leaves_its_nodes_and_comes_again(stage, scenery):
    stage.arena.add_nodes(2, cpu="2")
    scenery.jobs.annotations = NEVER
    scenery.jobs.create("heat", SIZE)
    scenery.until_whole()
    gang, first = scenery.gang(), {pod["metadata"]["uid"] for pod in stage.gangs.pods(scenery.gang())}

    eventually(lambda: is_late(scenery.queue))
    scenery.until_nothing_is_kept(gang)

    scenery.until_whole()
    assert not first & {pod["metadata"]["uid"] for pod in stage.gangs.pods(gang)}
    assert scenery.jobs.losses("heat") == {"failed": 0}


def test_gang_whose_members_never_run_leaves_its_nodes_and_comes_again(gangs):
    gangs.arena.add_nodes(2, cpu="2")
    manifest = gang("heat", size=QUOTA)
    manifest["spec"]["template"]["metadata"]["annotations"] |= NEVER
    gangs.create(manifest)
    gangs.arena.until_placed("heat")

    eventually(lambda: is_late(gangs.queue))
    assert gangs.arena.pods("heat") == []

    gangs.arena.until_placed("heat")
    assert gangs.arena.status("heat")["attempt"] > 1
