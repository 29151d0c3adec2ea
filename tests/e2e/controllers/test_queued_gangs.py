"""GangJobs and sweeps in queues of the real Kueue: it decides when they run, and with how many members at most."""

from collections.abc import Iterator
from typing import Any

import pytest

from builders.manifests import API_VERSION, POOL_LABEL, gang
from e2e.controllers.kueue import CHECKED, kueue_controller, lending
from e2e.controllers.queued_gangs import QUOTA, QueuedGangs
from e2e.controllers.scenes import Stage
from eventually import eventually
from live.arena import GANGS
from live.proxy import Injected
from sandbox import Sandbox

pytestmark = pytest.mark.usefixtures("members_may_end")
# A binding with this answer is sent again.
BUSY = Injected(503)


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


def test_gang_that_is_preempted_while_it_is_bound_leaves_nothing(stage, borrowing):
    left, right = borrowing
    left.arena.add_nodes(2 * QUOTA, cpu="1")
    stage.refuse_bindings_after(2, BUSY)
    left.submit("heat", size=2 * QUOTA)
    eventually(lambda: len([*filter(None, left.arena.nodes_of("heat"))]) == 2)

    right.submit("ice", size=QUOTA)
    left.until_nothing_is_kept("heat")
    stage.allow_bindings()
    right.until_running("ice", QUOTA)


def test_binding_that_fails_keeps_quota_and_all_members_are_made_anew(stage, checked):
    checked.arena.add_nodes(QUOTA, cpu="1")
    stage.refuse_bindings_after(2)
    checked.submit("heat", size=QUOTA)
    eventually(lambda: checked.arena.status("heat").get("attempt", 0) > 1)

    stage.allow_bindings()
    checked.until_running("heat", QUOTA)
    assert checked.has("heat", "QuotaReserved")
    assert not checked.has("heat", "Evicted")


def test_nothing_is_admitted_and_no_gang_is_lost_while_lockstep_is_down(stage, checked):
    checked.arena.add_nodes(1, cpu="2")
    checked.submit("heat", size=QUOTA)
    eventually(lambda: checked.has("heat", "QuotaReserved"))
    stage.operator.kill()

    checked.arena.add_nodes(1, cpu="2")
    checked.submit("ice", size=QUOTA)
    assert (checked.queue.admitted(), checked.arena.pods("heat")) == ([], [])

    stage.operator.start()
    checked.until_running("heat", QUOTA)
    eventually(lambda: checked.waits("ice"))
    checked.succeed("heat")
    checked.until_running("ice", QUOTA)


def test_runs_of_a_sweep_get_quota_one_by_one_and_none_keeps_it(gangs):
    gangs.arena.add_nodes(2, cpu="4")
    create_sweep(gangs, runs=2)

    eventually(lambda: len(gangs.queue.admitted()) == 1)
    first, second = in_turn(gangs)
    gangs.until_running(first, QUOTA)
    eventually(lambda: gangs.waits(second))
    gangs.succeed(first)
    gangs.until_running(second, QUOTA)
    gangs.succeed(second)

    eventually(lambda: state_of_sweep(gangs) == "Complete")
    eventually(lambda: gangs.queue.reserved() == "0")


def create_sweep(gangs: QueuedGangs, **spec: Any) -> None:
    """Create a sweep in the queue, of which each run needs all quota."""
    sweep = {"kind": "GangSweep", "metadata": {"name": "search", "labels": gangs.queue.labels}}
    template = gang(size=QUOTA)["spec"]
    template["template"]["spec"]["nodeSelector"] = {POOL_LABEL: gangs.arena.pool}
    body = {"apiVersion": API_VERSION, **sweep, "spec": {**spec, "template": template}}
    gangs.arena.api.request("POST", sweeps_of(gangs), body)


def in_turn(gangs: QueuedGangs) -> list[str]:
    """The runs of the sweep: first the one that has quota."""
    return sorted(("search-0", "search-1"), key=lambda run: not gangs.has(run, "QuotaReserved"))


def state_of_sweep(gangs: QueuedGangs) -> str:
    """Which state its status says."""
    found = gangs.arena.api.request("GET", f"{sweeps_of(gangs)}/search")
    return str(found.get("status", {}).get("state", ""))


def sweeps_of(gangs: QueuedGangs) -> str:
    """Where the sweeps of the namespace are."""
    return f"{GANGS}/namespaces/{gangs.arena.namespace}/gangsweeps"
