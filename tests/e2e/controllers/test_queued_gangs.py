"""GangJobs and sweeps in queues of the real Kueue: it decides when they run, and with how many members at most."""

from collections.abc import Iterator
from typing import Any

import pytest

from builders.manifests import gang
from e2e.controllers.audit import pods_ended_by_operator
from e2e.controllers.kueue import VERSION, Queue, has_condition, kueue_controller
from e2e.controllers.scenes import Stage
from eventually import eventually
from sandbox import Sandbox

CHECK = "gangs-placement"
QUOTA = 4


class QueuedGangs:
    """The GangJobs of a queue with a quota of four processors, and their Workloads."""

    def __init__(self, stage: Stage, **cluster_queue: Any) -> None:
        self.arena = stage.arena
        self.queue = Queue(stage.arena.api, stage.arena.namespace, cpu=QUOTA, **cluster_queue)

    def submit(self, name: str, **about: Any) -> None:
        """Create a GangJob in the queue."""
        manifest = gang(name, **about)
        manifest["metadata"]["labels"] = self.queue.labels
        self.arena.submit(manifest)

    def has(self, name: str, kind: str) -> bool:
        """Whether a condition of the Workload is True."""
        return has_condition(self.queue.workload(name), kind)

    def until_running(self, name: str, size: int) -> None:
        """Wait until a GangJob has so many members, and its Workload says that these are ready."""
        eventually(lambda: self.arena.status(name).get("size") == size and self.has(name, "PodsReady"))
        assert len(self.arena.nodes_of(name)) == size

    def waits(self, name: str) -> bool:
        """Whether a GangJob says that it waits for quota of the queue."""
        planned = self.arena.condition(name, "Planned")
        return planned.get("reason") == "AwaitsQuota" and "queue team" in planned["message"]


@pytest.fixture(scope="module")
def controller(plane: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Kueue, and an AdmissionCheck of Lockstep."""
    with kueue_controller(plane, tmp_path_factory.mktemp("kueue")):
        check = {"controllerName": "lockstep.dev/placement"}
        plane.apply([{"apiVersion": VERSION, "kind": "AdmissionCheck", "metadata": {"name": CHECK}, "spec": check}])
        yield


@pytest.fixture(autouse=True)
def members_may_end(nothing_ended: None, plane: Sandbox, allowed_evictions: set[str]) -> Iterator[None]:
    """Members are the operator's own pods, so it may delete them."""
    yield
    allowed_evictions |= {*pods_ended_by_operator(plane.audit_events())}


@pytest.fixture
def gangs(controller: None, stage: Stage) -> Iterator[QueuedGangs]:
    """A queue without checks."""
    gangs = QueuedGangs(stage)
    yield gangs
    stage.arena.close()
    gangs.queue.close()


@pytest.fixture
def checked(controller: None, stage: Stage) -> Iterator[QueuedGangs]:
    """A queue with our check."""
    gangs = QueuedGangs(stage, admissionChecksStrategy={"admissionChecks": [{"name": CHECK}]})
    yield gangs
    stage.arena.close()
    gangs.queue.close()


def test_gang_waits_for_quota_until_the_one_before_it_has_ended(gangs):
    gangs.arena.add_nodes(3, cpu="4")
    gangs.submit("heat", size=4)
    gangs.until_running("heat", 4)

    gangs.submit("ice", size=2)
    eventually(lambda: gangs.waits("ice"))
    assert gangs.arena.pods("ice") == []

    for pod in gangs.arena.pods("heat"):
        gangs.arena.patch_pod_status(pod["metadata"]["name"], {"phase": "Succeeded"})
    eventually(lambda: gangs.has("heat", "Finished"))
    gangs.until_running("ice", 2)


def test_gang_that_is_deactivated_leaves_its_nodes_and_comes_again(gangs):
    gangs.arena.add_nodes(1, cpu="4")
    gangs.submit("heat", size=4, suspend=True)
    gangs.until_running("heat", 4)

    gangs.queue.stop()
    eventually(lambda: not gangs.has("heat", "QuotaReserved"))
    assert gangs.arena.pods("heat") == []
    eventually(lambda: gangs.waits("heat"))

    gangs.queue.go_on()
    gangs.until_running("heat", 4)


def test_gang_grows_to_its_quota_and_what_it_gives_up_is_the_next_gangs(gangs):
    elastic = {"mode": "Members", "minInterval": "1s"}
    gangs.arena.add_nodes(1, cpu="2")
    gangs.submit("heat", size=(1, 8), elastic=elastic)
    gangs.until_running("heat", 2)

    gangs.arena.add_nodes(2, cpu="4")
    gangs.until_running("heat", QUOTA)
    gangs.submit("ice", size=2)
    eventually(lambda: gangs.waits("ice"))

    gangs.arena.change_gang("heat", elastic={**elastic, "size": 2})
    gangs.until_running("ice", 2)
    gangs.until_running("heat", 2)


def test_one_plan_answers_our_check_and_places_the_gang(checked):
    checked.arena.add_nodes(1, cpu="2")
    checked.submit("heat", size=4)
    eventually(lambda: "4 members" in checked.arena.condition("heat", "Planned").get("message", ""))
    assert not checked.has("heat", "Admitted")

    checked.arena.add_nodes(1, cpu="2")
    checked.until_running("heat", 4)
    assert checked.has("heat", "Admitted")
