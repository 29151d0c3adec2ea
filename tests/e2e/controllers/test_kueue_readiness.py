"""Pods that are admitted and bound but never run lose their quota by Kueue's waitForPodsReady, and others get it."""

from collections.abc import Iterator

import pytest

from builders.manifests import NEVER_RUNS
from e2e.controllers.kueue import CHECKED, kueue_controller
from e2e.controllers.queued_gangs import QueuedGangs
from e2e.controllers.scenes import SIZE, Stage
from eventually import eventually
from sandbox import Sandbox

TOO_LATE = "PodsReadyTimeout"


@pytest.fixture(scope="module")
def controller(plane: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Kueue, which evicts what does not run after some seconds."""
    waits = {"waitForPodsReady": {"timeout": "15s", "blockAdmission": False}}
    with kueue_controller(plane, tmp_path_factory.mktemp("kueue"), **waits):
        yield


@pytest.fixture
def gangs(controller: None, stage: Stage, members_may_end: None) -> Iterator[QueuedGangs]:
    """A queue of GangJobs with our check."""
    gangs = QueuedGangs(stage, **CHECKED)
    yield gangs
    gangs.close()


def test_job_whose_pods_never_run_leaves_its_nodes_and_its_quota_to_the_next(stage, scenery):
    stage.arena.add_nodes(2, cpu="2")
    scenery.jobs.pod = {"annotations": {NEVER_RUNS: ""}}
    scenery.jobs.create("heat", SIZE)
    scenery.until_whole()
    gang = scenery.gang()

    scenery.jobs.pod = {}
    scenery.jobs.create("ice", SIZE)
    eventually(lambda: scenery.evictions()[TOO_LATE])
    scenery.until_nothing_is_kept(gang)

    scenery.until_whole("ice")
    assert scenery.jobs.losses("heat") == {"failed": 0}


def test_gang_whose_members_never_run_leaves_its_nodes_and_its_quota_to_the_next(gangs):
    gangs.arena.add_nodes(2, cpu="2")
    gangs.submit("heat", size=SIZE, never_runs="")
    gangs.arena.until_placed("heat")

    gangs.submit("ice", size=SIZE)
    eventually(lambda: gangs.queue.evictions("heat")[TOO_LATE])
    gangs.until_nothing_is_kept("heat")

    gangs.until_running("ice", SIZE)
    assert gangs.waits("heat")
