"""Kueue decides who may use how much, and Lockstep where and when, as an AdmissionCheck."""

from collections.abc import Iterator

import pytest

from e2e.controllers.kueue import CHECKED, QUEUED, Queue, has_condition, kueue_controller, lending
from e2e.controllers.queued_jobs import Scenery
from e2e.controllers.scenes import SIZE, Stage
from eventually import eventually
from live.kueue_groups import KueueGroup
from sandbox import Sandbox

SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}


@pytest.fixture(scope="module")
def controller(plane: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Kueue, which waits for pods to be ready."""
    waits = {"waitForPodsReady": {"timeout": "5m", "blockAdmission": False}}
    with kueue_controller(plane, tmp_path_factory.mktemp("kueue"), **waits):
        yield


@pytest.fixture
def borrowing(controller: None, stage: Stage) -> Iterator[tuple[Scenery, Scenery]]:
    """Two queues with a quota for one gang each: either borrows what the other does not use now."""
    terms = {**lending(stage.arena.namespace), **CHECKED}
    queues = [Queue(stage.arena.api, stage.arena.namespace, cpu=SIZE, name=name, **terms) for name in ("left", "right")]
    left, right = (Scenery(stage, queue) for queue in queues)
    yield left, right
    left.close()


def test_job_comes_once_there_are_places_for_all_of_it(stage, scenery):
    stage.arena.add_nodes(1, cpu="2")

    scenery.jobs.create("heat", SIZE)
    eventually(lambda: "4 members" in scenery.check().get("message", ""))
    assert (scenery.check()["state"], scenery.queue.admitted()) == ("Pending", [])

    stage.arena.add_nodes(1, cpu="2")
    scenery.until_whole()
    eventually(lambda: has_condition(scenery.queue.workload("heat"), "PodsReady"))


def test_group_of_plain_pods_comes_once_there_are_places_for_all_of_it(stage, scenery):
    group = KueueGroup(stage.gangs, "heat", QUEUED)
    group.create("first", "second", count=2)
    eventually(lambda: scenery.check().get("message"))

    stage.arena.add_nodes(1, cpu="2")
    scenery.until_whole(size=2)


def test_nothing_is_admitted_and_nothing_lost_while_lockstep_is_down(stage, scenery):
    stage.arena.add_nodes(2, cpu="2")
    stage.operator.kill()

    scenery.jobs.create("heat", SIZE)
    eventually(lambda: has_condition(scenery.queue.workload("heat"), "QuotaReserved"))
    eventually(lambda: scenery.check().get("state") == "Pending")
    assert scenery.queue.admitted() == []

    stage.operator.start()
    scenery.until_whole()


def test_binding_that_fails_gives_quota_back_counts_nothing_and_comes_again(stage, scenery):
    stage.arena.add_nodes(SIZE, cpu="1")
    stage.refuse_bindings_after(2)
    scenery.jobs.create("heat", SIZE)
    eventually(lambda: stage.gangs.bound(scenery.gang()) == 2)
    gang = scenery.gang()
    stage.lose_free_nodes(gang)

    eventually(lambda: scenery.evictions()["AdmissionCheck"])
    scenery.until_nothing_is_kept(gang)

    stage.proxy.reset()
    stage.arena.add_nodes(2, cpu="2")
    scenery.until_whole()
    assert scenery.jobs.losses("heat") == {"failed": 0}


def test_plain_pods_whose_binding_fails_give_quota_back_and_those_that_replace_them_are_placed(stage, scenery):
    """Kueue deletes them, since they have no owner that it could suspend."""
    stage.arena.add_nodes(2, cpu="1")
    stage.refuse_bindings_after(1)
    group = KueueGroup(stage.gangs, "heat", QUEUED)
    group.create("first", "second", count=2)
    eventually(lambda: stage.gangs.bound(scenery.gang()) == 1)
    gang = scenery.gang()
    stage.lose_free_nodes(gang)

    eventually(lambda: scenery.evictions()["AdmissionCheck"])
    eventually(lambda: all("deletionTimestamp" in pod["metadata"] for pod in stage.gangs.pods(gang)))
    eventually(lambda: "reservedAt" not in stage.gangs.status(gang))
    # As its kubelet does, for which Kueue waits.
    stage.arena.patch_pod_status("first", {"phase": "Failed"})

    stage.proxy.reset()
    stage.arena.add_nodes(1, cpu="2")
    group.create("third", "fourth", count=2)
    scenery.until_whole(size=2)


def test_workload_that_is_deactivated_leaves_its_nodes_and_comes_again(stage, scenery):
    stage.arena.add_nodes(2, cpu="2")
    scenery.jobs.create("heat", SIZE)
    scenery.until_whole()

    scenery.queue.stop()
    scenery.until_nothing_is_kept(scenery.gang())
    scenery.queue.go_on()
    scenery.until_whole()


def test_job_that_is_admitted_in_part_gets_places_for_that_part(stage, scenery):
    stage.arena.add_nodes(3, cpu="2")
    scenery.jobs.least = 2

    scenery.jobs.create("heat", SIZE + 2)

    scenery.until_whole(size=SIZE)


@pytest.mark.parametrize(("nodes", "size"), [pytest.param(3, 3, id="by nodes"), pytest.param(6, SIZE, id="by quota")])
def test_size_of_a_job_is_chosen_before_it_has_quota_and_kueue_admits_what_it_allows(stage, scenery, nodes, size):
    scenery.jobs.sizes = "2-6"
    scenery.jobs.create("heat", 1)
    eventually(lambda: "has not chosen the number of pods" in scenery.check().get("message", ""))
    assert scenery.queue.admitted() == []

    # A plan with some of the nodes would choose a smaller size.
    stage.operator.kill()
    stage.arena.add_nodes(nodes, cpu="1")
    stage.operator.start()
    scenery.until_whole(size=size)

    job = stage.gangs.api.request("GET", f"{stage.gangs.jobs}/heat")
    assert (job["spec"]["parallelism"], job["spec"]["completions"]) == (size, size)
    assert job["metadata"]["annotations"]["lockstep.dev/sized"] == str(nodes)


def test_queue_that_lends_gets_its_quota_and_the_places_back(stage, borrowing):
    left, right = borrowing
    stage.arena.add_nodes(4, cpu="2")
    left.jobs.create("heat", 2 * SIZE)
    left.until_whole(size=2 * SIZE)
    gang = left.gang()

    right.jobs.create("ice", SIZE)
    right.until_whole("ice")

    assert left.is_evicted()
    left.until_nothing_is_kept(gang)
    assert left.jobs.losses("heat") == {"failed": 0}


def test_job_that_is_preempted_while_it_is_bound_leaves_nothing(stage, borrowing):
    left, right = borrowing
    stage.arena.add_nodes(2 * SIZE, cpu="1")
    stage.refuse_bindings_after(2)
    left.jobs.create("heat", 2 * SIZE)
    eventually(lambda: stage.gangs.bound(left.gang()) == 2)
    gang = left.gang()

    right.jobs.create("ice", SIZE)
    eventually(left.is_evicted)
    stage.allow_bindings()
    right.until_whole("ice")

    left.until_nothing_is_kept(gang)
    assert left.jobs.losses("heat") == {"failed": 0}


def test_job_that_could_be_planned_in_no_cluster_is_deactivated(stage, scenery):
    stage.arena.add_nodes(2, cpu="2")
    scenery.jobs.pod = {"topologySpreadConstraints": [SPREAD]}

    scenery.jobs.create("heat", SIZE)
    eventually(lambda: scenery.queue.workload("heat").get("spec", {}).get("active") is False)
    eventually(lambda: "Rejected" in scenery.check().get("message", ""))

    workload = scenery.queue.workload("heat")["metadata"]["name"]
    eventually(lambda: any("topologySpreadConstraints[0]" in it["note"] for it in stage.arena.events(workload)))
    eventually(lambda: scenery.queue.reserved() == "0")
    assert stage.gangs.bound(scenery.gang()) == 0
