"""JobSets: several Jobs of one object, whose pods are one gang."""

from collections.abc import Iterator

import pytest

from e2e.controllers import scenes
from e2e.controllers.jobset import JobSets, jobset_controller
from e2e.controllers.killed import KILLS
from e2e.controllers.scenes import Stage
from eventually import eventually
from live.places import are_bound_anew
from sandbox import Sandbox


@pytest.fixture(scope="module")
def controller(plane: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The controller of JobSets."""
    with jobset_controller(plane, tmp_path_factory.mktemp("jobset")):
        yield


@pytest.fixture
def jobsets(controller: None, stage: Stage) -> Iterator[JobSets]:
    jobsets = JobSets(stage.gangs)
    yield jobsets
    jobsets.close()


@pytest.fixture
def made_jobsets(jobsets: JobSets) -> JobSets:
    """JobSets for which the operator makes Gangs."""
    jobsets.is_made = True
    return jobsets


@pytest.mark.parametrize("scene", scenes.ALL, ids=scenes.named)
def test_jobset_is_a_gang(stage, jobsets, scene):
    scene(stage, jobsets)


def test_jobset_that_starts_anew_is_placed_whole_again(stage, jobsets):
    stage.arena.add_nodes(2, cpu="2")
    stage.submit(jobsets, "heat", scenes.SIZE)
    stage.check_whole("heat")
    before = stage.gangs.places("heat")

    stage.arena.delete_pod(stage.gangs.pods("heat")[-1]["metadata"]["name"])

    eventually(lambda: are_bound_anew(stage.gangs.places("heat"), before, scenes.SIZE))
    assert jobsets.losses("heat")["restarts"] == 1


def test_gang_says_what_it_waits_for_where_jobs_start_in_an_order(stage, jobsets):
    stage.arena.add_nodes(2, cpu="2")
    jobsets.more = {"startupPolicy": {"startupPolicyOrder": "InOrder"}}

    stage.submit(jobsets, "heat", scenes.SIZE)

    says = f"1 of the {scenes.SIZE} needed pods"
    eventually(lambda: says in stage.gangs.condition("heat", "Planned").get("message", ""))


def test_driver_and_ten_jobs_of_ten_pods_are_placed_whole(stage, jobsets):
    stage.arena.add_nodes(26, cpu="4")
    jobsets.copies = 10
    stage.gangs.submit("heat", 101)

    jobsets.create("heat", 11)

    stage.check_whole("heat", 101)


@pytest.mark.parametrize("scene", [scenes.placed_as_planned, *scenes.SUSPENDABLE, *KILLS], ids=scenes.named)
def test_gang_of_a_jobset_is_made(stage, made_jobsets, scene):
    scene(stage, made_jobsets)


def test_jobs_that_start_in_an_order_are_placed_beside_the_first(stage, made_jobsets):
    stage.arena.add_nodes(2, cpu="2")
    made_jobsets.more = {"startupPolicy": {"startupPolicyOrder": "InOrder"}}

    gang = stage.submit(made_jobsets, "heat", scenes.SIZE)

    stage.until_all_beside(gang)


def test_jobsets_that_start_in_an_order_do_not_wait_for_each_other(stage, made_jobsets):
    made_jobsets.more = {"startupPolicy": {"startupPolicyOrder": "InOrder"}}

    scenes.rivals_in_steps(stage, made_jobsets)


def test_jobs_that_depend_on_another_are_placed_beside_it(stage, made_jobsets):
    stage.arena.add_nodes(2, cpu="2")
    made_jobsets.waits_for = "Ready"

    gang = stage.submit(made_jobsets, "heat", scenes.SIZE)

    stage.until_all_beside(gang)


def test_example_of_a_jobset_is_placed(stage, made_jobsets):
    scenes.as_in_the_example(stage, made_jobsets, 5)
