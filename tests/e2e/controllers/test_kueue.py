"""Kueue decides when Jobs and groups of plain pods may run, and Lockstep then places them whole."""

from collections.abc import Iterator

import pytest

from builders.manifests import RUN_FOR
from e2e.controllers import scenes
from e2e.controllers.audit import requests_of_operator
from e2e.controllers.kueue import QUEUED, Queue, kueue_controller
from e2e.controllers.scenes import SIZE, Stage
from e2e.controllers.test_jobs import Jobs
from eventually import eventually
from live.kueue_groups import KueueGroup
from sandbox import Sandbox


class QueuedJobs(Jobs):
    """Jobs that wait in a queue: Kueue suspends and resumes them."""

    def __init__(self, gangs, queue):
        super().__init__(gangs)
        self.queue = queue

    def suspend(self, name):
        self.queue.stop()

    def resume(self, name):
        self.queue.go_on()

    def manifest(self, name, size):
        job = super().manifest(name, size)
        return {**job, "metadata": {**job["metadata"], "labels": QUEUED}}


@pytest.fixture(scope="module")
def controller(plane: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Kueue."""
    with kueue_controller(plane, tmp_path_factory.mktemp("kueue")):
        yield


@pytest.fixture
def wide_queue(controller: None, stage: Stage) -> Iterator[Queue]:
    """A queue with a quota for two gangs of the usual size."""
    queue = Queue(stage.arena.api, stage.arena.namespace, cpu=2 * SIZE)
    yield queue
    queue.close()


@pytest.fixture
def queue(controller: None, stage: Stage) -> Iterator[Queue]:
    """A queue with a quota for one gang of the usual size."""
    queue = Queue(stage.arena.api, stage.arena.namespace, cpu=SIZE)
    yield queue
    queue.close()


@pytest.fixture
def jobs(wide_queue: Queue, stage: Stage) -> Iterator[QueuedJobs]:
    """Queued Jobs for which the operator makes Gangs."""
    jobs = QueuedJobs(stage.gangs, wide_queue)
    jobs.is_made = True
    yield jobs
    jobs.close()


def group_of(stage, name):
    """A group of plain pods in the queue."""
    return KueueGroup(stage.gangs, name, QUEUED)


def create_whole(group, prefix="pod", size=SIZE, **more):
    group.create(*(f"{prefix}-{number}" for number in range(size)), count=size, **more)


def changes_of_jobs(stage):
    """What the operator has asked the API server to change of Jobs in the namespace of the test."""
    asked = requests_of_operator(stage.arena.api.audit_events())
    changes = [one for one in asked if one["verb"] not in ("get", "list", "watch")]
    about = ("jobs", stage.arena.namespace)
    return [one["requestURI"] for one in changes if _subject(one) == about]


def _subject(event):
    about = event.get("objectRef") or {}
    return about.get("resource"), about.get("namespace")


def test_group_that_kueue_admits_is_placed_whole(stage, queue):
    stage.arena.add_nodes(2, cpu="2")
    group = group_of(stage, "heat")

    create_whole(group)

    stage.check_whole(group.gang)
    assert len(queue.admitted()) == 1


def test_group_that_lacks_a_pod_is_neither_admitted_nor_placed(stage, queue):
    stage.arena.add_nodes(2, cpu="2")
    group = group_of(stage, "heat")
    group.create("first", count=2)
    create_whole(group_of(stage, "other"), size=2)

    stage.check_whole("kueuegroup.other", 2)
    assert stage.gangs.bound(group.gang) == 0

    group.create("second", count=2)
    stage.check_whole(group.gang, 2)


def test_groups_beyond_the_quota_run_one_after_the_other(stage, queue):
    stage.arena.add_nodes(4, cpu="2")
    names = ("left", "right")
    gangs = [f"kueuegroup.{name}" for name in names]

    for name in names:
        create_whole(group_of(stage, name), name, size=SIZE - 1, annotations={RUN_FOR: "2s"})

    for gang in gangs:
        eventually(lambda gang=gang: [pod["status"]["phase"] for pod in stage.gangs.pods(gang)] == ["Succeeded"] * 3)


def test_groups_within_the_quota_that_do_not_fit_together_do_not_deadlock(stage, wide_queue):
    stage.arena.add_nodes(2, cpu="2")
    names = ("left", "right")
    gangs = [f"kueuegroup.{name}" for name in names]

    for name in names:
        create_whole(group_of(stage, name), name, size=SIZE - 1)

    eventually(lambda: stage.numbers_bound(*gangs) == [0, SIZE - 1])
    first = max(gangs, key=stage.gangs.bound)
    stage.arena.add_nodes(1, cpu="2")
    eventually(lambda: stage.numbers_bound(*gangs) == [SIZE - 1, SIZE - 1])
    assert stage.gangs.nodes_of(first) == stage.planned(first)


@pytest.mark.parametrize("scene", scenes.MADE, ids=scenes.named)
def test_gang_of_a_queued_job_is_made(stage, jobs, scene):
    scene(stage, jobs)


def test_queued_job_is_never_suspended_by_lockstep(stage, jobs):
    gang = stage.bind_in_part(jobs, "heat", nodes=SIZE, cpu="1")
    stage.lose_free_nodes(gang)
    stage.gangs.until(gang, "Placed", "False")
    eventually(lambda: "reservedAt" not in stage.gangs.status(gang))

    stage.proxy.reset()
    stage.arena.add_nodes(2, cpu="1")

    stage.check_whole(gang)
    assert changes_of_jobs(stage) == []
