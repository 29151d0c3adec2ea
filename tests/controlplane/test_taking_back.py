"""Groups take back what others have borrowed, on a real control plane, also where the operator dies meanwhile."""

import threading
from contextlib import closing
from pathlib import Path

import pytest

from builders.manifests import gang
from eventually import eventually
from live.arena import Arena
from live.pod_gangs import PodGangs
from live.proxy import Moment
from live.quick_start import Forked
from lockstep.api.names import SUSPENDED_LABEL
from lockstep_demo.operator_process import OperatorProcess, running

ROOT = Path(__file__).parents[2]
RIGHTS = ROOT / "operator" / "rbac-shares.yaml"
KIND = ROOT / "crds" / "fairshares.yaml"
PATH = "/apis/lockstep.dev/v1alpha1/fairshares"
HOUR = 3_600_000
"""In milliseconds."""
BORROWERS = ("old", "young")
ELASTIC = {"mode": "Restart", "restartTime": "1s", "minInterval": "1s"}

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture(scope="module")
def operator(suspending, proxy, tmp_path_factory):
    """An operator with fair shares that may suspend owners and talks to the proxy; one for all tests of a file."""
    suspending.apply(KIND)
    suspending.apply(RIGHTS)
    log, options = tmp_path_factory.mktemp("operator") / "log", ("--fair-shares=true", "--sources=pods,job")
    with running(OperatorProcess(proxy.kubeconfig, log, *options, spawn=Forked)) as process:
        yield process
    suspending.kubectl("delete", f"--filename={RIGHTS}")


@pytest.fixture
def busy(arena, proxy):
    """A namespace whose group borrows, and four nodes with one CPU each."""
    arena.add_nodes(4, cpu="1")
    yield arena
    proxy.reset()
    arena.api.kubectl("delete", "--ignore-not-found", "fairshare", "default")


@pytest.fixture
def gangs(busy):
    """The Gangs of the group that borrows."""
    gangs = PodGangs(busy)
    yield gangs
    gangs.close()


@pytest.fixture
def calm(busy):
    """A namespace whose group has used nothing; its gangs run on the same nodes."""
    other = Arena(busy.api, f"{busy.namespace}-calm")
    busy.api.create_namespace(other.namespace)
    other.pool = busy.pool
    with closing(other):
        yield other


def share(busy, calm, *, reclaim):
    """Give both groups, and all other namespaces, a third of the nodes each."""
    groups = [{"name": name, "namespaces": [one.namespace]} for name, one in (("busy", busy), ("calm", calm))]
    spec = {"groups": groups, "preemption": {"reclaimWithinPriority": reclaim}}
    manifest = {"apiVersion": "lockstep.dev/v1alpha1", "kind": "FairShare", "metadata": {"name": "default"}}
    busy.api.request("POST", PATH, {**manifest, "spec": spec})


def used(arena):
    """How many milliseconds the status says that the group that borrows has used."""
    status = arena.api.request("GET", f"{PATH}/default").get("status", {})
    return next((one["usedMilliseconds"] for one in status.get("groups", ()) if one["name"] == "busy"), 0)


def add_use(arena, milliseconds):
    """Have the status say that the group has used more, as if it had done so before."""
    groups = arena.api.request("GET", f"{PATH}/default")["status"]["groups"]
    for one in groups:
        one["usedMilliseconds"] += milliseconds if one["name"] == "busy" else 0
    arena.api.request("PATCH", f"{PATH}/default/status", {"status": {"groups": groups}})


def is_counted_on(arena):
    """Whether the next status adds to what the last one said."""
    before = arena.api.request("GET", f"{PATH}/default")["status"]["countedAt"]
    eventually(lambda: arena.api.request("GET", f"{PATH}/default")["status"]["countedAt"] != before)
    return used(arena) > HOUR


def run(arena, manifest):
    arena.submit(manifest)
    eventually(lambda: "startedAt" in arena.status(manifest["metadata"]["name"]))


def borrow_all(busy, calm, *, reclaim="Any"):
    """Have the ``BORROWERS``, of one group, fill all nodes, and its use written; returns that."""
    share(busy, calm, reclaim=reclaim)
    for name in BORROWERS:
        run(busy, gang(name))
    return eventually(lambda: used(busy))


def gives_way(busy):
    """Which of the borrowers gives way: the younger one, but starts are written in whole seconds."""
    return [name for name in BORROWERS if busy.condition(name, "Preempted")]


def until_one_gives_way(busy):
    """Wait until just one of the borrowers gives way to the other group; returns what its condition says."""
    (victim,) = eventually(lambda: gives_way(busy))
    assert_stays(busy, next(name for name in BORROWERS if name != victim))
    return busy.until(victim, "Preempted", "True", "Reclaimed")


def assert_stays(arena, name):
    assert arena.condition(name, "Placed")["status"] == "True"
    assert not arena.condition(name, "Preempted")
    assert arena.status(name)["attempt"] == 1


def test_elastic_gang_shrinks(busy, calm):
    share(busy, calm, reclaim="Any")
    run(busy, gang("large", size=(1, 4), work={"serialTime": "400h"}, elastic=ELASTIC))
    assert busy.status("large")["size"] == 4

    uid = calm.submit(gang("small", size=1))["metadata"]["uid"]
    calm.until_placed("small")

    shrunk = busy.until("large", "Preempted", "False", "ShrunkForGang")
    assert (
        f"for a gang of another namespace, of priority 0 and UID {uid}, as the group of that gang has used"
        in shrunk["message"]
    )
    eventually(lambda: busy.status("large").get("size") == 3 and "startedAt" in busy.status("large"))


def test_gang_is_evicted_and_its_group_pays(busy, calm):
    before = borrow_all(busy, calm)

    uid = calm.submit(gang("small", size=1))["metadata"]["uid"]
    calm.until_placed("small")

    taken = until_one_gives_way(busy)
    assert (
        f"of priority 0 and UID {uid}, takes the place of this gang: the group of that gang has used less of its share"
        in taken["message"]
    )
    assert eventually(lambda: used(busy) > before)
    assert calm.condition("small", "Placed")["status"] == "True"


def test_none_is_evicted_where_the_fair_share_says_never(busy, calm):
    borrow_all(busy, calm, reclaim="Never")

    calm.submit(gang("small", size=1))
    calm.until("small", "Planned", "False")
    busy.add_nodes(1, cpu="100m")
    busy.submit(gang("tiny", size=1, cpu="100m"))
    busy.until_placed("tiny")

    for name in BORROWERS:
        assert_stays(busy, name)


def on_dry_run(asked, moment):
    """Whether the operator asks whether the members of the gang would be admitted: it has decided, and evicts none."""
    return asked.resource == "pods" and "dryRun" in asked.text and "small" in asked.text and moment is Moment.BEFORE


def on_status(busy, asked, moment):
    """Whether the victim's status has just said that it gives way."""
    is_status = (asked.verb, asked.resource, moment) == ("PATCH", "gangjobs/status", Moment.AFTER)
    return is_status and bool(gives_way(busy))


def on_suspension(asked, moment):
    """Whether the owner of the victim's pods was just suspended; no status says so yet."""
    return (asked.verb, asked.resource, moment) == ("PATCH", "jobs", Moment.AFTER) and "dryRun" not in asked.text


class Killed:
    """The operator is killed at the first request of which ``when`` is true, and begins anew."""

    def __init__(self, operator, proxy, when):
        self._operator, self._proxy, self._when = operator, proxy, when
        self._is_dead = threading.Event()
        proxy.witness = self._see

    def _see(self, asked, moment):
        if not self._is_dead.is_set() and self._when(asked, moment):
            self._operator.crash()
            self._is_dead.set()
        return not self._is_dead.is_set()

    def begin_anew(self, meanwhile):
        """Start the operator again, once ``meanwhile`` was done without it."""
        assert self._is_dead.wait(timeout=300), "that request never came"
        self._operator.reap()
        self._proxy.reset()
        meanwhile()
        self._operator.start()


@pytest.mark.search("kills while a group takes back")
@pytest.mark.parametrize("step", ["decided", "written"])
def test_operator_that_is_killed_takes_back_once_and_forgets_no_use(operator, proxy, busy, calm, step):
    borrow_all(busy, calm)
    killed = Killed(operator, proxy, on_dry_run if step == "decided" else lambda *seen: on_status(busy, *seen))

    calm.submit(gang("small", size=1))
    killed.begin_anew(lambda: add_use(busy, HOUR))

    calm.until_placed("small")
    until_one_gives_way(busy)
    assert is_counted_on(busy)


def test_job_gives_way_and_pods_without_an_owner_stay(busy, calm, gangs):
    before = borrow_by_pods(busy, calm, gangs)

    calm.submit(gang("small", size=1))
    calm.until_placed("small")

    gangs.until("job.heat", "Preempted", "True", "Reclaimed")
    assert gangs.bound("bare") == 2
    eventually(lambda: is_left_alone(gangs) and len(gangs.pods("job.heat")) == 2)
    assert gangs.bound("job.heat") == 0
    assert eventually(lambda: used(busy) > before)


@pytest.mark.search("kills while a group takes back")
def test_operator_that_is_killed_after_a_suspension_resumes_the_job_behind_the_other_gang(
    operator, proxy, busy, calm, gangs
):
    borrow_by_pods(busy, calm, gangs)
    killed = Killed(operator, proxy, on_suspension)

    calm.submit(gang("small", size=1))
    killed.begin_anew(lambda: add_use(busy, HOUR))

    calm.until_placed("small")
    eventually(lambda: is_left_alone(gangs) and len(gangs.pods("job.heat")) == 2)
    assert gangs.bound("bare") == 2
    assert gangs.bound("job.heat") == 0
    assert is_counted_on(busy)


def borrow_by_pods(busy, calm, gangs):
    """Have a Job and younger pods without an owner fill all nodes; returns the use of their group."""
    share(busy, calm, reclaim="Any")
    gangs.create_job("", 2, name="heat")
    gangs.until("job.heat", "Placed")
    gangs.submit("bare", 2)
    gangs.create_pods("bare", "one", "two")
    gangs.until("bare", "Placed")
    return eventually(lambda: used(busy))


def is_left_alone(gangs):
    """Whether the Job is neither suspended nor marked."""
    found = gangs.api.request("GET", f"{gangs.jobs}/heat")
    return not found["spec"]["suspend"] and SUSPENDED_LABEL not in found["metadata"].get("labels", {})
