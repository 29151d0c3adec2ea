"""Real policies that refuse what a Gang needs: each refusal ends with a sentence, and after few requests."""

from collections import Counter

import pytest

from builders.manifests import bid, member_container
from eventually import eventually
from live.denial import IS_DRY_RUN, Denial, denied
from live.proxy import Moment
from live.releases import MUTATING_POLICIES

MARK = "lockstep.dev/suspended-by"
BINDING = ("POST", "pods/binding")
PATCH_OF_JOB = ("PATCH", "jobs")
# What is reserved is kept for a minute, in which pauses double from one second.
TRIES_IN_A_MINUTE = 7
# What an owner refuses is tried again after 15 s, 30 s and 60 s: on a busy machine while a test waits for a state.
TRIES_WHILE_A_TEST_WAITS = 4
# A minute passes before, and the machine may be busy.
SECONDS = 180

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture(scope="module")
def operator(suspending, behind_proxy):
    """An operator that may suspend and size Jobs and talks to the proxy; one for all tests of a file."""
    assert suspending
    with behind_proxy("job,sizedjob") as process:
        yield process


@pytest.fixture
def asked(proxy):
    """How often the operator asked for what, dry runs too, by verb and resource."""
    counts = Counter()

    def count(asked, moment):
        counts[asked.verb, asked.resource] += moment is Moment.BEFORE
        return True

    proxy.witness = count
    yield counts
    proxy.reset()


@pytest.fixture
def unmarking(arena, gangs):
    """Lets a MutatingAdmissionPolicy remove our mark from the Job, once called."""
    name = f"{arena.pool}-unmarking"

    def create():
        for kind, spec in mutating(arena, name).items():
            arena.api.request("POST", f"{MUTATING_POLICIES}/{kind}", {"metadata": {"name": name}, "spec": spec})
        eventually(lambda: not is_marked_by_a_dry_run(gangs))

    yield create
    for kind in mutating(arena, name):
        arena.delete(f"{MUTATING_POLICIES}/{kind}/{name}")


def mutating(arena, name):
    """What a policy says that removes our mark from Jobs of the arena, and its binding, by resource."""
    jobs = {"apiGroups": ["batch"], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["jobs"]}
    has_mark = f"has(object.metadata.labels) && '{MARK}' in object.metadata.labels"
    remove = f'JSONPatch{{op: "remove", path: "/metadata/labels/{MARK.replace("/", "~1")}"}}'
    patch = {"patchType": "JSONPatch", "jsonPatch": {"expression": f"{has_mark} ? [{remove}] : []"}}
    policy = {"matchConstraints": {"resourceRules": [jobs]}, "mutations": [patch], "reinvocationPolicy": "Never"}
    here = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": arena.namespace}}}
    binding = {"policyName": name, "matchResources": here}
    return {"mutatingadmissionpolicies": policy, "mutatingadmissionpolicybindings": binding}


def is_marked_by_a_dry_run(gangs):
    marked = {"metadata": {"labels": {MARK: "lockstep"}}}
    answer = gangs.api.request("PATCH", f"{gangs.jobs}/heat?dryRun=All", marked)
    return MARK in answer["metadata"].get("labels", {})


def return_to_a_node(arena, gangs):
    """The owner of a node of the Job's is back, and has members evicted."""
    node = gangs.nodes_of("job.heat")[0]
    arena.create(bid(node, onReturn="Evict", gracePeriodSeconds=0, ownerPresent=True))


def notes(arena, name, kind):
    """What events about an object of a kind say, in one text."""
    return " ".join(one["note"] for one in arena.events(name) if one["regarding"]["kind"] == kind)


def job(gangs):
    return gangs.api.request("GET", f"{gangs.jobs}/heat")


def create_a_pod(arena):
    """Really, since dry runs pass."""
    pod = {"metadata": {"generateName": "probe-"}, "spec": {"schedulerName": "x", "containers": [member_container()]}}
    arena.api.request("POST", f"{arena.core}/pods", pod)


def test_job_that_must_not_be_suspended_keeps_its_pods_and_is_asked_seldom(arena, gangs, asked):
    arena.add_nodes(5, cpu="1")
    gangs.create_job("", 4, name="heat")
    gangs.until("job.heat", "Placed")
    suspensions = Denial("UPDATE", "jobs", "Jobs run on", "!has(object.spec.suspend) || !object.spec.suspend", "batch")
    before = [pod["metadata"]["uid"] for pod in gangs.pods("job.heat")]

    with denied(arena, suspensions, lambda: suspend_as_a_dry_run(gangs)):
        return_to_a_node(arena, gangs)
        eventually(lambda: "denied request: Jobs run on" in notes(arena, "job.heat", "Gang"))
        gangs.create_job("", 1, name="next")
        gangs.until("job.next", "Placed")

    assert "its pods stay: Job heat can't be suspended" in notes(arena, "job.heat", "Gang")
    assert 2 <= asked[PATCH_OF_JOB] <= 2 * TRIES_WHILE_A_TEST_WAITS, "a dry run, and the patch itself"
    assert [pod["metadata"]["uid"] for pod in gangs.pods("job.heat")] == before
    assert gangs.bound("job.heat") == 4


def test_job_on_which_no_mark_stays_is_not_suspended(arena, gangs, asked, unmarking):
    arena.add_nodes(5, cpu="1")
    gangs.create_job("", 4, name="heat")
    gangs.until("job.heat", "Placed")
    unmarking()

    return_to_a_node(arena, gangs)
    eventually(lambda: "its pods stay: Job heat can't be suspended" in notes(arena, "job.heat", "Gang"))

    assert "another program changes its lockstep.dev/suspended-by" in notes(arena, "job.heat", "Gang")
    assert 1 <= asked[PATCH_OF_JOB] <= TRIES_WHILE_A_TEST_WAITS, "dry runs"
    assert job(gangs)["spec"]["suspend"] is False
    assert gangs.bound("job.heat") == 4


@pytest.mark.search("waits of a minute")
def test_binding_that_only_its_dry_run_may_is_tried_for_a_minute_and_the_job_begins_anew(arena, gangs, asked):
    last = Denial("CREATE", "pods/binding", "not that one", f"{IS_DRY_RUN} || !request.name.startsWith('heat-3-')")
    probe = {"metadata": {"name": "heat-3-probe"}, "target": {"kind": "Node", "name": "none"}}
    arena.add_nodes(4, cpu="1")

    with denied(arena, last, lambda: bind(arena, probe)):
        gangs.create_job("", 4, name="heat")
        eventually(lambda: "OwnerSuspended" in reasons(arena, "heat"), seconds=SECONDS)
        bindings = asked[BINDING]
        eventually(lambda: job(gangs)["spec"]["suspend"] is False)
    gangs.until("job.heat", "Placed")

    assert "is bound only in part" in notes(arena, "heat", "Job")
    assert "denied request: not that one" in notes(arena, "heat", "Job")
    assert bindings <= 2 * 4 + TRIES_IN_A_MINUTE
    assert gangs.bound("job.heat") == 4
    assert job(gangs)["status"].get("failed", 0) == 0


def test_job_whose_pods_are_denied_gets_no_size(arena, gangs, asked):
    arena.add_nodes(1, cpu="4")
    pods = Denial("CREATE", "pods", "pods need a cost centre")
    pod = {"metadata": {"name": "probe"}, "spec": {"containers": [member_container()]}}

    with denied(arena, pods, lambda: arena.api.request("POST", f"{arena.core}/pods?dryRun=All", pod)):
        create_sized(gangs)
        says = gangs.until("job.heat", "Accepted", "False")["message"]
        assert "denied request: pods need a cost centre" in says
        assert asked[PATCH_OF_JOB] == 0
        assert job(gangs)["spec"]["suspend"] is True

    gangs.until("job.heat", "Placed")
    assert gangs.bound("job.heat") == 4


@pytest.mark.search("waits of a minute")
def test_job_whose_pods_only_a_dry_run_may_create_says_that_they_do_not_come(arena, gangs, asked):
    arena.add_nodes(1, cpu="4")
    pods = Denial("CREATE", "pods", "pods need a cost centre", IS_DRY_RUN)

    with denied(arena, pods, lambda: create_a_pod(arena)):
        create_sized(gangs)
        says = "Job heat has created 0 of 4 pods, and no new pod for 60 seconds."
        eventually(lambda: says in notes(arena, "job.heat", "Gang"), seconds=SECONDS)
        gangs.until("job.heat", "Planned", "False", "AwaitsPods")
        assert asked[PATCH_OF_JOB] == 1

    # The controller of Jobs tries again after pauses that have grown meanwhile.
    eventually(lambda: gangs.bound("job.heat") == 4, seconds=SECONDS)


def reasons(arena, name):
    return {event["reason"] for event in arena.events(name)}


def create_sized(gangs):
    """Create a suspended Job that may have two to four pods."""
    gangs.create_job("", 1, name="heat", annotations={"lockstep.dev/size": "2-4"}, suspend=True)


def suspend_as_a_dry_run(gangs):
    gangs.api.request("PATCH", f"{gangs.jobs}/heat?dryRun=All", {"spec": {"suspend": True}})


def bind(arena, binding):
    arena.api.request("POST", f"{arena.core}/pods/{binding['metadata']['name']}/binding", binding)
