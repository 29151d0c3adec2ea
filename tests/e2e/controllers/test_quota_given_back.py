"""Lockstep gives quota back that is of no use now, so that others get it from Kueue; the gang comes later."""

from collections.abc import Iterator

import pytest

from builders.manifests import gang
from e2e.controllers.kueue import CHECKED, Queue, has_condition, kueue_controller
from e2e.controllers.queued_gangs import QUOTA, QueuedGangs
from e2e.controllers.queued_jobs import Scenery
from e2e.controllers.scenes import SIZE, Stage
from eventually import eventually
from sandbox import Sandbox

GIVEN_BACK = "AdmissionCheck"
NO_PROMISE = "no longer promises this start"


@pytest.fixture(scope="module")
def controller(plane: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Kueue."""
    with kueue_controller(plane, tmp_path_factory.mktemp("kueue")):
        yield


@pytest.fixture
def scenery(controller: None, impatient: Stage) -> Iterator[Scenery]:
    """A queue of Jobs with a quota for one gang of the usual size.

    With the strategy BestEffortFIFO, Kueue 0.17 gives quota to the same Workload again: it considers the others that
    wait for quota only a second later.
    """
    terms = {"queueingStrategy": "StrictFIFO", **CHECKED}
    scenery = Scenery(impatient, Queue(impatient.arena.api, impatient.arena.namespace, cpu=SIZE, **terms))
    yield scenery
    scenery.close()


@pytest.fixture
def gangs(controller: None, impatient: Stage, members_may_end: None) -> Iterator[QueuedGangs]:
    """A queue of GangJobs with our check."""
    gangs = QueuedGangs(impatient, **CHECKED)
    yield gangs
    gangs.close()


def reasons(stage: Stage, queue: Queue, of: str) -> str:
    """Why Lockstep has given the quota of the Workload of that name back. Kueue deletes the answer of our check."""
    events = stage.arena.events(queue.workload(of)["metadata"]["name"])
    return " ".join(one["note"] for one in events if one["reason"] == "QuotaGivenBack")


def test_start_that_is_too_far_off_leaves_its_quota_to_the_next_and_is_no_longer_promised(scenery, members_may_end):
    stage = scenery.stage
    stage.arena.add_nodes(2, cpu="2")
    stage.arena.submit(gang("long", size=SIZE, work={"serialTime": "4h"}))
    stage.arena.until_placed("long")

    scenery.jobs.create("heat", SIZE)
    eventually(lambda: has_condition(scenery.queue.workload("heat"), "QuotaReserved"))
    stage.arena.add_nodes(1, cpu="1")
    scenery.jobs.create("ice", 1)
    scenery.until_whole("ice", size=1)
    assert scenery.evictions()[GIVEN_BACK]
    eventually(lambda: NO_PROMISE in reasons(stage, scenery.queue, "heat"))

    scenery.jobs.delete("ice")
    stage.arena.delete_gang("long")
    scenery.until_whole()
    assert scenery.jobs.losses("heat") == {"failed": 0}


def test_gang_whose_bindings_fail_again_and_again_gives_quota_back_and_comes_later(gangs):
    gangs.arena.add_nodes(2, cpu="4")
    gangs.stage.refuse_bindings_after(2)
    gangs.submit("heat", size=QUOTA)
    eventually(lambda: gangs.queue.evictions("heat")[GIVEN_BACK])
    eventually(lambda: "can't be placed: Attempt " in reasons(gangs.stage, gangs.queue, "heat"))

    gangs.stage.allow_bindings()
    gangs.until_running("heat", QUOTA)
    assert gangs.has("heat", "Admitted")
