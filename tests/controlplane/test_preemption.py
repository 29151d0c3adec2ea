"""Gangs that give way to more urgent ones, on a real API server: what both sides show, and when no gang gives way."""

import itertools
import threading

import pytest

from builders.manifests import budget, gang, priority_class, quota
from eventually import eventually

pytestmark = pytest.mark.usefixtures("operator")

NUMBERS = itertools.count(1)
CLASS_VALUE = 1000


@pytest.fixture(scope="module")
def operator(operator_behind_proxy):
    """An operator that talks to the proxy."""
    return operator_behind_proxy


@pytest.fixture
def urgent(arena):
    """A priority class whose gangs others give way to."""
    return make_class(arena, CLASS_VALUE, policy="PreemptLowerPriority")


@pytest.fixture
def one_node(arena):
    """A node with room for one gang of two."""
    [node] = arena.add_nodes(1, cpu="2")
    return node


def make_class(arena, value, **policy):
    name = f"preempting-{next(NUMBERS)}"
    arena.create(priority_class(name, value, **policy))
    return name


def run(arena, name="cold", **more):
    """Place a gang and wait until its members are known to run."""
    arena.submit(gang(name, **more))
    eventually(lambda: "startedAt" in arena.status(name))


def keep(arena, pod, *finalizers):
    """Have a foreign finalizer keep a pod, as a kubelet does for its grace period, or none."""
    path = f"{arena.core}/pods/{pod['metadata']['name']}"
    arena.api.request("PATCH", path, {"metadata": {"finalizers": list(finalizers) or None}})


def disruption_of(pod):
    """The condition of a pod that says that it is evicted."""
    conditions = pod["status"].get("conditions") or []
    return next((one for one in conditions if one["type"] == "DisruptionTarget"), None)


def submit_in_vain(operator, arena, waiting):
    """Submit a gang, and wait until it was planned in the knowledge of what admission says of it."""
    before = dry_runs(operator)
    arena.submit(waiting)
    arena.until(waiting["metadata"]["name"], "Planned", "False")
    eventually(lambda: dry_runs(operator) > before)
    add_one_more(arena)


def add_one_more(arena, **requests):
    """Have another gang placed, somewhere else: everybody was planned once more then."""
    arena.add_nodes(1, cpu="100m")
    resources = {"requests": {"cpu": "100m", **requests}}
    arena.submit(gang("other", size=1, container={"resources": resources}))
    arena.until_placed("other")


def dry_runs(operator):
    metrics = operator.metrics()
    return sum(value for name, value in metrics.items() if "requests_total" in name and "pods/dry-run" in name)


def assert_stays(arena, name):
    """Check that a gang has kept its nodes."""
    assert arena.condition(name, "Placed")["status"] == "True"
    assert not arena.condition(name, "Preempted")
    assert arena.status(name)["attempt"] == 1


def test_more_urgent_gang_takes_the_place_of_another_which_lands_again_afterwards(arena, urgent, one_node):
    run(arena)

    arena.submit(gang("hot", run_for="3s", priorityClassName=urgent))
    arena.until_placed("hot")

    preempted = arena.condition("cold", "Preempted")
    preemptor = f"{arena.namespace}/hot"
    assert (preempted["status"], preempted["reason"]) == ("True", "Preempted")
    assert preempted["message"] == f"Gang {preemptor}, of priority {CLASS_VALUE}, takes the place of this gang."
    assert f"takes the place of gang {arena.namespace}/cold" in arena.condition("hot", "Planned")["message"]
    assert arena.nodes_of("hot") == [one_node] * 2
    arena.until_complete("hot")
    arena.until_placed("cold")
    arena.until("cold", "Preempted", "False", "Bound")
    assert arena.status("cold")["attempt"] == 2


def test_events_of_both_sides_name_the_other(arena, urgent, one_node):
    run(arena)

    arena.submit(gang("hot", priorityClassName=urgent))
    arena.until_placed("hot")

    [victim] = arena.until_events("cold", "GangPreempted")
    [preemptor] = arena.until_events("hot", "PreemptedForGang")
    assert (victim["type"], preemptor["type"]) == ("Warning", "Normal")
    assert f"ang {arena.namespace}/hot" in victim["note"]
    assert f"Gang {arena.namespace}/cold" in preemptor["note"]


def test_members_are_notified_and_keep_their_place_during_their_grace_period(arena, urgent, one_node):
    run(arena)
    for pod in arena.pods("cold"):
        keep(arena, pod, "example.com/keeps")

    arena.submit(gang("hot", priorityClassName=urgent))
    arena.until("hot", "Planned", "True", "Preempting")

    eventually(lambda: all("deletionTimestamp" in pod["metadata"] for pod in arena.pods("cold")))
    disruptions = [disruption_of(pod) for pod in arena.pods("cold")]
    assert [(one["status"], one["reason"]) for one in disruptions] == [("True", "PreemptionByScheduler")] * 2
    assert f"preempts gang {arena.namespace}/cold" in arena.condition("hot", "Planned")["message"]
    arena.submit(gang("other", size=1))
    eventually(lambda: arena.condition("other", "Planned"))
    for pod in arena.pods("cold"):
        keep(arena, pod)
    arena.until_placed("hot")
    assert not arena.pods("other")


def test_gang_whose_work_is_worth_least_gives_way(arena, urgent):
    arena.add_nodes(2, cpu="2")
    run(arena, "vast", size=2)
    run(arena, "little", size=1, cpu="2")

    arena.submit(gang("hot", priorityClassName=urgent))
    arena.until_placed("hot")

    arena.until("little", "Preempted")
    assert arena.condition("vast", "Placed")["status"] == "True"


def test_two_gangs_take_two_places(arena, urgent):
    arena.add_nodes(2, cpu="2")
    run(arena, "one")
    run(arena, "two")

    arena.submit(gang("hot", priorityClassName=urgent))
    arena.submit(gang("hotter", priorityClassName=urgent))
    arena.until_placed("hot", "hotter")

    assert {arena.condition(name, "Preempted")["status"] for name in ("one", "two")} == {"True"}


@pytest.mark.parametrize(
    ("value", "policy"),
    [
        pytest.param(CLASS_VALUE, "Never", id="its class evicts no gang"),
        pytest.param(0, "PreemptLowerPriority", id="it is no more urgent"),
    ],
)
def test_gang_waits(operator, arena, one_node, value, policy):
    run(arena)

    submit_in_vain(operator, arena, gang("hot", priorityClassName=make_class(arena, value, policy=policy)))

    assert_stays(arena, "cold")


def test_gang_whose_members_would_be_refused_waits(operator, arena, urgent, one_node):
    run(arena)
    arena.create(quota("small", **{"requests.memory": "1Gi"}))
    eventually(lambda: "used" in arena.api.request("GET", f"{arena.core}/resourcequotas/small").get("status", {}))
    hungry = {"resources": {"requests": {"cpu": "1", "memory": "2Gi"}}}
    before = dry_runs(operator)

    arena.submit(gang("hot", container=hungry, priorityClassName=urgent))

    arena.until("hot", "Planned", "False")
    eventually(lambda: dry_runs(operator) > before)
    add_one_more(arena, memory="1Mi")
    assert_stays(arena, "cold")


def test_gang_that_its_tenants_budget_alone_protects_gives_way(arena, urgent, one_node):
    run(arena)
    arena.create(budget("keep", least=2))
    eventually(lambda: arena.api.request("GET", f"{arena.budgets}/keep")["status"].get("observedGeneration") == 1)

    arena.submit(gang("hot", priorityClassName=urgent))

    arena.until_placed("hot")
    assert arena.condition("cold", "Preempted")["status"] == "True"


def test_victim_that_its_owner_deletes_meanwhile_leaves_its_place(arena, urgent, one_node):
    run(arena)
    for pod in arena.pods("cold"):
        keep(arena, pod, "example.com/keeps")
    arena.submit(gang("hot", priorityClassName=urgent))
    arena.until("hot", "Planned", "True", "Preempting")

    arena.delete_gang("cold")
    for pod in arena.pods("cold"):
        keep(arena, pod)

    arena.until_placed("hot")
    arena.until_no_pods("cold")


STEPS = {
    "once the status says so": ("PATCH", "gangjobs/status"),
    "once a member is notified": ("PATCH", "pods/status"),
    "once a member is deleted": ("DELETE", "pods"),
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_operator_that_is_killed_in_the_middle_goes_on(operator, proxy, arena, urgent, one_node, step):
    run(arena)
    killed = threading.Event()

    def after(write):
        if write[:2] == step and not killed.is_set() and arena.condition("cold", "Preempted"):
            operator.crash()
            killed.set()

    proxy.after = after
    arena.submit(gang("hot", priorityClassName=urgent))
    assert killed.wait(timeout=300), "that step never came"
    proxy.reset()
    operator.reap()
    operator.start()

    arena.until_placed("hot")

    assert arena.condition("cold", "Preempted")["status"] == "True"
    assert arena.condition("cold", "Placed")["status"] == "False"
