"""Jobs that give way to urgent gangs on a real control plane: they begin anew, and their rules count no failure."""

import itertools

import pytest

from builders.manifests import gang, priority_class
from eventually import eventually
from live.asked_plan import answers_of, ask_plan
from live.places import are_anew, are_bound_anew
from live.proxy import Injected
from lockstep.api.names import SUSPENDED_LABEL
from lockstep.facts.gang.source import Source
from sandbox import ApiError

SIZED = "lockstep.dev/sized"
POLICIES = "/apis/admissionregistration.k8s.io/v1"
NUMBERS = itertools.count(1)

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture(scope="module")
def operator(suspending, behind_proxy):
    """An operator that may suspend owners and talks to the proxy; one for all tests of a file."""
    assert suspending
    with behind_proxy("pods,job,sizedjob") as process:
        yield process


@pytest.fixture
def urgent(arena):
    """A priority class whose gangs others give way to."""
    name = f"yielding-{next(NUMBERS)}"
    arena.create(priority_class(name, 1000, policy="PreemptLowerPriority"))
    return name


@pytest.fixture
def protection(arena):
    """Begins to protect the Jobs of the arena's namespace from being suspended, by a ValidatingAdmissionPolicy."""
    name = f"{arena.pool}-protection"
    kinds = ("validatingadmissionpolicies", "validatingadmissionpolicybindings")
    selector = {"matchLabels": {"kubernetes.io/metadata.name": arena.namespace}}
    jobs = {"apiGroups": ["batch"], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["jobs"]}
    specs = (
        {"matchConstraints": {"resourceRules": [jobs]}, "validations": [{"expression": "!object.spec.suspend"}]},
        {"policyName": name, "validationActions": ["Deny"], "matchResources": {"namespaceSelector": selector}},
    )

    def begin():
        for kind, spec in zip(kinds, specs, strict=True):
            arena.api.request("POST", f"{POLICIES}/{kind}", {"metadata": {"name": name}, "spec": spec})
        eventually(lambda: is_protected(arena))

    yield begin
    for kind in kinds:
        arena.delete(f"{POLICIES}/{kind}/{name}")


def is_protected(arena):
    path = f"/apis/batch/v1/namespaces/{arena.namespace}/jobs/heat?dryRun=All"
    try:
        arena.api.request("PATCH", path, {"spec": {"suspend": True}})
    except ApiError:
        return True
    return False


def finalize(arena, pod, *finalizers):
    """Have a foreign finalizer keep a pod beside that of its Job, or none."""
    path = f"{arena.core}/pods/{pod}"
    found = arena.api.request("GET", path)["metadata"].get("finalizers", [])
    others = [one for one in found if not one.startswith("example.com/")]
    arena.api.request("PATCH", path, {"metadata": {"finalizers": [*others, *finalizers] or None}})


def job(gangs):
    return gangs.api.request("GET", f"{gangs.jobs}/heat")


def run_job(arena, gangs, **spec):
    """Place a Job of two pods on the only node; returns where its pods are."""
    arena.add_nodes(1, cpu="2")
    gangs.create_job("", 2, name="heat", **spec)
    gangs.until("job.heat", "Placed")
    return gangs.places("job.heat")


def is_left_alone(gangs):
    """Whether the Job is neither suspended nor marked."""
    found = job(gangs)
    return not found["spec"]["suspend"] and SUSPENDED_LABEL not in found["metadata"].get("labels", {})


def is_as_it_was(gangs, old):
    return gangs.places("job.heat") == old


def waits_anew(gangs, old):
    """Whether the Job has two other pods, which have no nodes."""
    places = gangs.places("job.heat")
    return are_anew(places, old, 2) and not any(places.values())


def test_job_begins_anew_after_an_urgent_gang_and_counts_nothing(arena, gangs, urgent):
    old = run_job(arena, gangs, backoffLimit=0)
    arena.submit(gang("hot", size=2, priorityClassName=urgent))
    arena.until_placed("hot")

    eventually(lambda: waits_anew(gangs, old) and is_left_alone(gangs))
    assert gangs.until("job.heat", "Preempted")["message"].startswith(f"Gang {arena.namespace}/hot, of priority 1000")
    assert job(gangs)["status"].get("failed", 0) == 0
    notes = [one["note"] for one in arena.events("heat") if one["reason"] == "OwnerSuspended"]
    assert [
        f"gang {arena.namespace}/hot, of priority 1000, takes the place of this gang" in note for note in notes
    ] == [True]

    arena.delete_gang("hot")
    gangs.until("job.heat", "Placed")
    gangs.until("job.heat", "Preempted", "False")
    assert job(gangs)["status"].get("failed", 0) == 0


@pytest.mark.parametrize(("yielding", "want"), [([Source.JOB], ["gang/job.heat"]), ([], [])])
def test_plan_names_the_job_that_would_give_way(arena, gangs, urgent, yielding, want):
    run_job(arena, gangs)
    spec = {"parallelism": 2, "template": gangs.template("", priorityClassName=urgent)}
    hot = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "hot"}, "spec": spec}

    [answer] = answers_of(ask_plan(arena, hot, yielding=yielding))["gangs"]

    assert [victim["name"] for victim in answer["preempts"]] == want


@pytest.mark.search("Jobs that change while they give way")
def test_job_that_its_user_resumes_meanwhile_is_placed_as_any_other(arena, gangs, urgent, proxy):
    run_job(arena, gangs)
    proxy.fault = lambda verb, resource: (
        Injected(422) if (verb, resource) == ("PATCH", "jobs") and not is_left_alone(gangs) else None
    )
    arena.submit(gang("hot", size=2, priorityClassName=urgent))
    eventually(lambda: not is_left_alone(gangs) and not gangs.pods("job.heat"))
    gangs.api.request("PATCH", f"{gangs.jobs}/heat", {"spec": {"suspend": False}})
    proxy.reset()

    arena.until_placed("hot")
    arena.add_nodes(1, cpu="2")
    gangs.until("job.heat", "Placed")
    gangs.until("job.heat", "Preempted", "False")
    eventually(lambda: is_left_alone(gangs))


@pytest.mark.search("Jobs that change while they give way")
def test_gang_that_is_deleted_meanwhile_is_made_anew_and_its_job_is_resumed(arena, gangs, urgent, proxy):
    run_job(arena, gangs)
    proxy.fault = lambda verb, resource: (
        Injected(422) if (verb, resource) == ("PATCH", "jobs") and not is_left_alone(gangs) else None
    )
    arena.submit(gang("hot", size=2, priorityClassName=urgent))
    eventually(lambda: not is_left_alone(gangs))
    gangs.delete("job.heat")
    proxy.reset()

    arena.until_placed("hot")
    arena.add_nodes(1, cpu="2")
    gangs.until("job.heat", "Placed")
    eventually(lambda: is_left_alone(gangs))


def test_job_gives_way_again_and_again(arena, gangs, urgent):
    run_job(arena, gangs, backoffLimit=0)
    for number in range(3):
        arena.submit(gang(f"hot-{number}", size=2, priorityClassName=urgent))
        arena.until_placed(f"hot-{number}")
        arena.delete_gang(f"hot-{number}")
        gangs.until("job.heat", "Placed")
        # It may be placed again before the condition Preempted is written.
        eventually(lambda attempt=number + 2: gangs.status("job.heat").get("attempt") == attempt)

    assert job(gangs)["status"].get("failed", 0) == 0
    eventually(lambda: is_left_alone(gangs))


def test_job_gives_way_to_the_pods_of_another_job(arena, gangs, urgent):
    old = run_job(arena, gangs, backoffLimit=0)
    gangs.create_job("", 2, name="hot", template=gangs.template("", priorityClassName=urgent))
    gangs.until("job.hot", "Placed")

    eventually(lambda: waits_anew(gangs, old) and is_left_alone(gangs))
    assert job(gangs)["status"].get("failed", 0) == 0


@pytest.mark.search("Jobs that change while they give way")
def test_job_whose_suspension_is_refused_stays_and_is_not_asked_again(arena, gangs, urgent, proxy):
    old = run_job(arena, gangs)
    tried = []

    def fault(verb, resource):
        if (verb, resource) != ("PATCH", "jobs"):
            return None
        tried.append(verb)
        return Injected(422)

    proxy.fault = fault
    arena.submit(gang("hot", size=2, priorityClassName=urgent))
    eventually(lambda: tried)
    arena.until("hot", "Planned", "False")

    arena.add_nodes(1, cpu="2")
    arena.until_placed("hot")
    assert is_as_it_was(gangs, old)
    assert is_left_alone(gangs)
    assert len(tried) == 1


def test_job_that_a_policy_protects_stays_and_another_gang_gives_way(arena, gangs, urgent, protection):
    old = run_job(arena, gangs)
    protection()
    arena.add_nodes(1, cpu="2")
    arena.submit(gang("cold", size=2))
    arena.until_placed("cold")
    arena.submit(gang("hot", size=2, priorityClassName=urgent))
    arena.until_placed("hot")

    arena.until("cold", "Preempted")
    assert is_as_it_was(gangs, old)
    assert not [one for one in arena.events("heat") if one["reason"] == "OwnerSuspended"]


def test_urgent_gang_says_for_which_job_it_waits_while_pods_still_end(arena, gangs, urgent):
    run_job(arena, gangs, backoffLimit=0)
    names = [pod["metadata"]["name"] for pod in gangs.pods("job.heat")]
    for name in names:
        finalize(arena, name, "example.com/keeps")
    arena.submit(gang("hot", size=2, priorityClassName=urgent))

    found = arena.until("hot", "Planned", "True", "Preempting")
    assert f"preempts gang {arena.namespace}/gang/job.heat" in found["message"]
    assert not is_left_alone(gangs)
    for name in names:
        finalize(arena, name)
    arena.until_placed("hot")
    eventually(lambda: is_left_alone(gangs))
    assert job(gangs)["status"].get("failed", 0) == 0


@pytest.mark.search("Jobs that change while they give way")
def test_job_that_has_a_size_waits_for_a_size_again(arena, gangs, urgent):
    arena.add_nodes(1, cpu="2")
    annotations = {"lockstep.dev/size": "2-4"}
    gangs.create_job("", 1, name="heat", suspend=True, annotations=annotations)
    gangs.until("job.heat", "Placed")
    arena.submit(gang("hot", size=2, priorityClassName=urgent))
    arena.until_placed("hot")

    eventually(lambda: not gangs.pods("job.heat") and SIZED not in job(gangs)["metadata"]["annotations"])
    arena.delete_gang("hot")
    gangs.until("job.heat", "Preempted", "False")
    assert job(gangs)["spec"]["parallelism"] == 2
    assert job(gangs)["status"].get("failed", 0) == 0


@pytest.mark.search("gangs of pods that the next process goes on with")
def test_next_process_goes_on(arena, gangs, urgent, proxy, operator):
    old = run_job(arena, gangs, backoffLimit=0)
    proxy.fault = lambda verb, resource: (
        Injected(422) if (verb, resource) == ("PATCH", "jobs") and not is_left_alone(gangs) else None
    )
    arena.submit(gang("hot", size=2, priorityClassName=urgent))
    eventually(lambda: not is_left_alone(gangs))
    operator.kill()
    proxy.reset()
    operator.launch()

    arena.until_placed("hot")
    eventually(lambda: waits_anew(gangs, old) and is_left_alone(gangs))
    assert job(gangs)["status"].get("failed", 0) == 0


@pytest.mark.search("Jobs that change while they give way")
def test_job_that_is_deleted_and_made_again_meanwhile_is_placed_as_any_other(arena, gangs, urgent, proxy):
    old = run_job(arena, gangs)
    proxy.fault = lambda verb, resource: (
        Injected(422) if (verb, resource) == ("PATCH", "jobs") and not is_left_alone(gangs) else None
    )
    arena.submit(gang("hot", size=2, priorityClassName=urgent))
    eventually(lambda: not is_left_alone(gangs))
    gangs.api.request("DELETE", f"{gangs.jobs}/heat?propagationPolicy=Background")
    eventually(lambda: not gangs.pods("job.heat"))
    gangs.create_job("", 2, name="heat")
    proxy.reset()

    arena.until_placed("hot")
    arena.add_nodes(1, cpu="2")
    eventually(lambda: are_bound_anew(gangs.places("job.heat"), old, 2))
    assert is_left_alone(gangs)


@pytest.mark.search("Jobs that change while they give way")
def test_job_that_its_user_suspends_meanwhile_stays_suspended(arena, gangs, urgent, proxy):
    run_job(arena, gangs)
    proxy.fault = lambda verb, resource: (
        Injected(422) if (verb, resource) == ("PATCH", "jobs") and not is_left_alone(gangs) else None
    )
    arena.submit(gang("hot", size=2, priorityClassName=urgent))
    eventually(lambda: not is_left_alone(gangs))
    for suspend in (False, True):
        gangs.api.request("PATCH", f"{gangs.jobs}/heat", {"spec": {"suspend": suspend}})
    proxy.reset()

    arena.until_placed("hot")
    eventually(lambda: SUSPENDED_LABEL not in job(gangs)["metadata"].get("labels", {}))
    assert job(gangs)["spec"]["suspend"] is True
