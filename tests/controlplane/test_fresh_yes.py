"""What admission says changes while a gang waits for others to be evicted, and who is checked first of many."""

import itertools

import pytest

from builders.manifests import gang, member_container, priority_class
from eventually import eventually
from live.arena import PRIORITIES
from live.proxy import Moment

pytestmark = pytest.mark.usefixtures("operator")

NUMBERS = itertools.count(1)
MANY, ROLES = 30, 8


@pytest.fixture(scope="module")
def operator(operator_behind_proxy):
    """An operator that talks to the proxy."""
    return operator_behind_proxy


@pytest.fixture
def urgent(arena):
    """A priority class whose gangs others give way to."""
    name = f"asked-again-{next(NUMBERS)}"
    arena.create(priority_class(name, 1000, policy="PreemptLowerPriority"))
    return name


@pytest.fixture
def full_node(arena):
    """A node that gang cold fills."""
    arena.add_nodes(1, cpu="2")
    arena.submit(gang("cold"))
    eventually(lambda: "startedAt" in arena.status("cold"))


@pytest.fixture
def dry_runs(arena, proxy):
    """The names of pods of the arena's namespace that were asked about, in order.

    ``again`` is done at the second of gang hot, or at another one that ``fresh`` says. A member that is asked about
    after ``again`` was done has no answer if that returned False.
    """
    seen = DryRuns()

    def witness(asked, moment):
        if moment is Moment.BEFORE and asked.resource == "pods" and "dryRun" in asked.text:
            path, _, body = asked.text.partition("\n")
            if f"/{arena.namespace}/" in path:
                return seen.note(body)
        return True

    proxy.witness = witness
    yield seen
    proxy.reset()


class DryRuns:
    """What was asked."""

    def __init__(self):
        self.bodies = []
        self.fresh = 2
        self.again = lambda: True
        self.is_answered = True

    def note(self, body):
        self.bodies.append(body)
        if self.count("hot-") == self.fresh and '"name":"hot-' in body.replace(" ", ""):
            self.is_answered = self.again()
        return self.is_answered

    def count(self, name):
        return sum(f'"name":"{name}' in body.replace(" ", "") for body in self.bodies)


def limit_container(arena, _):
    limits = [{"type": "Container", "max": {"cpu": "500m"}}]
    arena.create({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "small"}, "spec": {"limits": limits}})
    return until_refused(arena, {})


def limit_namespace(arena, _):
    arena.create_quota("small", **{"requests.cpu": "2500m"})
    return until_refused(arena, {})


def delete_class(arena, urgent):
    arena.delete(f"{PRIORITIES}/{urgent}")
    return until_refused(arena, {"priorityClassName": urgent})


def say_nothing(_arena, _urgent):
    return False


def until_refused(arena, spec):
    """An API server refuses once its own watch has shown it why."""
    eventually(lambda: arena.dry_run({"containers": [member_container("1")], **spec}) is None)
    return True


@pytest.mark.parametrize(
    "change", [limit_container, limit_namespace, delete_class, say_nothing], ids=lambda change: change.__name__
)
def test_no_gang_is_evicted_on_an_old_yes(arena, urgent, full_node, dry_runs, change):
    dry_runs.again = lambda: change(arena, urgent)

    arena.submit(gang("hot", priorityClassName=urgent))

    eventually(lambda: dry_runs.count("hot-") >= 2)
    assert_cold_stays(arena)


def test_no_gang_is_evicted_where_only_the_second_role_is_refused_by_now(arena, urgent, full_node, dry_runs):
    # The first check asks about both roles. Then the fresh one begins with a role that stays admitted.
    dry_runs.fresh = 3
    dry_runs.again = lambda: limit_container(arena, urgent)

    arena.submit(with_roles("hot", "500m", "1", priorityClassName=urgent))

    eventually(lambda: dry_runs.count("hot-") >= 4)
    assert_cold_stays(arena)


def with_roles(name, *cpus, **spec):
    """A gang with a role of one member for each of these amounts of CPU."""
    roles = [
        {"name": f"r{number}", "size": {"min": 1, "max": 1}, "template": gang(cpu=cpu)["spec"]["template"]}
        for number, cpu in enumerate(cpus)
    ]
    return {**gang(name), "spec": {"roles": roles, **spec}}


def assert_cold_stays(arena):
    """Gang cold is as it was, and a later plan has decided about another gang."""
    arena.add_nodes(1, cpu="100m")
    arena.submit(gang("other", size=1, cpu="100m"))
    eventually(lambda: arena.condition("other", "Planned"))
    assert arena.condition("cold", "Placed")["status"] == "True"
    assert not arena.condition("cold", "Preempted")
    assert arena.status("cold")["attempt"] == 1


def test_gang_is_evicted_once_the_api_server_says_yes_again(arena, urgent, full_node, dry_runs):
    dry_runs.again = lambda: False
    arena.submit(gang("hot", priorityClassName=urgent))
    eventually(lambda: dry_runs.count("hot-") >= 2)
    assert not arena.condition("cold", "Preempted")

    dry_runs.again, dry_runs.is_answered = lambda: True, True

    arena.until_placed("hot")
    assert arena.condition("cold", "Preempted")


def test_gang_that_may_evict_others_is_checked_before_all_that_wait_already(arena, urgent, full_node, dry_runs):
    for number in range(MANY):
        arena.submit(many_roles(f"many-{number}"))
    eventually(lambda: dry_runs.count("many-") >= ROLES)

    before = len(dry_runs.bodies)
    arena.submit(gang("hot", priorityClassName=urgent))
    arena.until_placed("hot")

    first = next(number for number, body in enumerate(dry_runs.bodies) if "hot-" in body)
    assert first - before < ROLES * MANY / 6
    eventually(lambda: dry_runs.count("many-") >= ROLES * MANY)
    assert first < ROLES * MANY / 2


def many_roles(name):
    manifest = gang(name)
    template = manifest["spec"]["template"]
    roles = [{"name": f"r{number}", "size": {"min": 1, "max": 1}, "template": template} for number in range(ROLES)]
    return {**manifest, "spec": {"roles": roles}}
