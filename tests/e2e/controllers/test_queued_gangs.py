"""GangJobs and sweeps in queues of the real Kueue: it decides when they run, and with how many members at most."""

from collections.abc import Iterator

import pytest

from e2e.controllers.kueue import CHECKED, kueue_controller, lending
from e2e.controllers.queued_gangs import QUOTA, QueuedGangs
from e2e.controllers.scenes import Stage
from eventually import eventually
from sandbox import Sandbox

pytestmark = pytest.mark.usefixtures("members_may_end")


@pytest.fixture(scope="module")
def controller(plane: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Kueue."""
    with kueue_controller(plane, tmp_path_factory.mktemp("kueue")):
        yield


@pytest.fixture
def gangs(controller: None, stage: Stage) -> Iterator[QueuedGangs]:
    """A queue without checks."""
    gangs = QueuedGangs(stage)
    yield gangs
    gangs.close()


@pytest.fixture
def checked(controller: None, stage: Stage) -> Iterator[QueuedGangs]:
    """A queue with our check."""
    gangs = QueuedGangs(stage, **CHECKED)
    yield gangs
    gangs.close()


@pytest.fixture
def checked_borrowing(controller: None, stage: Stage) -> Iterator[tuple[QueuedGangs, QueuedGangs]]:
    """The same with our check."""
    terms = {**lending(stage.arena.namespace), **CHECKED}
    left, right = (QueuedGangs(stage, name, **terms) for name in ("left", "right"))
    yield left, right
    left.close()


@pytest.fixture
def borrowing(controller: None, stage: Stage) -> Iterator[tuple[QueuedGangs, QueuedGangs]]:
    """Two queues: either borrows what the other does not use now."""
    left, right = (QueuedGangs(stage, name, **lending(stage.arena.namespace)) for name in ("left", "right"))
    yield left, right
    left.close()


def test_gang_waits_for_quota_until_the_one_before_it_has_ended(gangs):
    gangs.arena.add_nodes(3, cpu="4")
    gangs.submit("heat", size=4)
    gangs.until_running("heat", 4)

    gangs.submit("ice", size=2)
    eventually(lambda: gangs.waits("ice"))
    assert gangs.arena.pods("ice") == []

    gangs.succeed("heat")
    eventually(lambda: gangs.has("heat", "Finished"))
    gangs.until_running("ice", 2)


def test_gang_that_is_deactivated_leaves_its_nodes_and_comes_again(gangs):
    gangs.arena.add_nodes(1, cpu="4")
    gangs.submit("heat", size=4, suspend=True)
    gangs.until_running("heat", 4)

    gangs.queue.stop()
    gangs.until_nothing_is_kept("heat")
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


def test_queue_that_lends_gets_all_quota_back_and_the_borrower_comes_again(borrowing):
    left, right = borrowing
    left.arena.add_nodes(4, cpu="2")
    left.submit("heat", size=2 * QUOTA)
    left.until_running("heat", 2 * QUOTA)

    right.submit("ice", size=QUOTA)
    left.until_nothing_is_kept("heat")
    right.until_running("ice", QUOTA)
    eventually(lambda: left.waits("heat"))

    right.succeed("ice")
    left.until_running("heat", 2 * QUOTA)


def test_gang_that_is_preempted_while_it_is_bound_leaves_nothing_and_is_planned_anew(checked_borrowing):
    left, right = checked_borrowing
    left.arena.add_nodes(4, cpu="2")
    left.stage.delay_bindings_after(2)
    left.submit("heat", size=2 * QUOTA)
    eventually(lambda: sum(node != "" for node in left.arena.nodes_of("heat")) == 2)

    right.submit("ice", size=QUOTA)
    left.until_nothing_is_kept("heat")
    assert left.queue.check("heat")["state"] == "Pending"
    left.stage.allow_bindings()
    right.until_running("ice", QUOTA)

    right.succeed("ice")
    left.until_running("heat", 2 * QUOTA)


def test_gang_that_comes_while_lockstep_is_down_is_queued_after_its_start_and_no_other_is_lost(checked):
    checked.arena.add_nodes(2, cpu="2")
    checked.submit("heat", size=2)
    checked.until_running("heat", 2)
    members = uids(checked, "heat")
    checked.stage.operator.kill()

    checked.submit("ice", size=2)
    assert not checked.queue.workload("ice")
    checked.stage.operator.start()

    checked.until_running("ice", 2)
    assert uids(checked, "heat") == members


def test_gang_that_is_evicted_while_lockstep_is_down_keeps_its_quota_and_leaves_after_its_start(gangs):
    gangs.arena.add_nodes(1, cpu="4")
    gangs.submit("heat", size=4)
    gangs.until_running("heat", 4)
    gangs.stage.operator.kill()

    gangs.queue.stop()
    eventually(lambda: gangs.has("heat", "Evicted"))
    assert gangs.has("heat", "QuotaReserved")
    gangs.stage.operator.start()

    gangs.until_nothing_is_kept("heat")
    gangs.queue.go_on()
    gangs.until_running("heat", 4)


def test_runs_of_a_sweep_come_one_after_the_other_where_quota_is_for_one(gangs):
    gangs.arena.add_nodes(3, cpu="4")
    gangs.submit_sweep("search", runs=3, size=QUOTA)
    left = {"search-0", "search-1", "search-2"}

    while left:
        [run] = eventually(lambda: [run for run in left if gangs.has(run, "PodsReady")])
        left.remove(run)
        eventually(lambda: all(gangs.waits(other) for other in left))
        gangs.succeed(run)
        eventually(lambda: gangs.sweep("search").get("succeeded") == 3 - len(left))


def uids(gangs, name):
    """The identities of the members of a GangJob."""
    return {pod["metadata"]["uid"] for pod in gangs.arena.pods(name)}
