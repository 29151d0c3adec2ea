"""Suspended Jobs with a range of sizes: the operator chooses how many pods they have, and resumes them."""

import json

import pytest
from click.testing import CliRunner

from eventually import eventually
from live.examples import apply_example
from lockstep.cli import main

RANGE = {"lockstep.dev/size": "2-6"}

pytestmark = pytest.mark.usefixtures("operator")
# It may size Jobs.
SOURCES = "job,sizedjob"


def create_sized(gangs, name="heat", *, parallelism=1, annotations=RANGE, **spec):
    """Create a suspended Job that may have any size of the range."""
    gangs.create_job("", parallelism, name=name, annotations=annotations, suspend=True, **spec)


def spec_of(gangs, name="heat"):
    return gangs.api.request("GET", f"{gangs.jobs}/{name}")["spec"]


def numbers(gangs, name="heat"):
    spec = spec_of(gangs, name)
    return spec["parallelism"], spec["completions"], spec["suspend"]


def test_suspended_job_gets_as_many_pods_as_find_room(arena, gangs):
    arena.add_nodes(2, cpu="2")
    create_sized(gangs, annotations={**RANGE, "lockstep.dev/serial-time": "1h"})

    gangs.until("job.heat", "Placed")

    assert gangs.bound("job.heat") == 4
    assert numbers(gangs) == (4, 4, False)
    assert gangs.spec("job.heat")["size"] == {"min": 2, "max": 6}


def test_job_whose_completions_are_its_work_keeps_them(arena, gangs):
    arena.add_nodes(1, cpu="3")
    create_sized(gangs, parallelism=1, completions=20, completionMode="NonIndexed")

    gangs.until("job.heat", "Placed")

    assert numbers(gangs) == (gangs.bound("job.heat"), 20, False)
    assert gangs.bound("job.heat") >= 2


def test_job_without_room_stays_suspended_and_has_no_pods(arena, gangs):
    arena.add_nodes(1, cpu="1")
    create_sized(gangs)

    eventually(lambda: "It needs 2 members" in gangs.condition("job.heat", "Planned").get("message", ""))

    assert gangs.pods("job.heat") == []
    assert numbers(gangs) == (1, 1, True)
    arena.add_nodes(1, cpu="1")
    gangs.until("job.heat", "Placed")
    assert numbers(gangs) == (2, 2, False)


def test_job_that_a_user_suspends_after_its_start_stays_suspended(arena, gangs):
    arena.add_nodes(1, cpu="2")
    create_sized(gangs)
    gangs.until("job.heat", "Placed")

    gangs.api.request("PATCH", f"{gangs.jobs}/heat", {"spec": {"suspend": True}})
    eventually(lambda: not gangs.pods("job.heat"))
    create_sized(gangs, "next")
    gangs.until("job.next", "Placed")

    assert numbers(gangs) == (2, 2, True)


def test_range_that_is_none_is_refused_with_a_sentence(arena, gangs):
    arena.add_nodes(1, cpu="2")
    create_sized(gangs, annotations={"lockstep.dev/size": "many"})

    says = gangs.until("job.heat", "Accepted", "False", "InvalidSpec")

    assert "'many' is not a number or range" in says["message"]
    assert numbers(gangs) == (1, 1, True)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"annotations": {}}, id="without a range"),
        pytest.param({"labels": {"kueue.x-k8s.io/queue-name": "q"}, "annotations": RANGE}, id="queued by Kueue"),
    ],
)
def test_other_suspended_jobs_are_left_alone(arena, gangs, changes):
    arena.add_nodes(1, cpu="2")
    create_sized(gangs, "other", annotations=changes["annotations"])
    gangs.api.request("PATCH", f"{gangs.jobs}/other", {"metadata": {"labels": changes.get("labels", {})}})
    create_sized(gangs, "next")

    gangs.until("job.next", "Placed")

    assert numbers(gangs, "other")[2] is True


def test_next_process_goes_on(arena, gangs, operator):
    arena.add_nodes(1, cpu="1")
    create_sized(gangs)
    eventually(lambda: "It needs 2 members" in gangs.condition("job.heat", "Planned").get("message", ""))
    operator.kill()
    arena.add_nodes(1, cpu="1")
    operator.start()

    gangs.until("job.heat", "Placed")

    assert numbers(gangs) == (2, 2, False)


def test_job_that_waits_for_a_size_is_explained_as_the_operator_plans_it(arena, gangs):
    arena.add_nodes(1, cpu="1")
    create_sized(gangs)
    eventually(lambda: "It needs 2 members" in gangs.condition("job.heat", "Planned").get("message", ""))

    options = ["--sources=job,sizedjob", f"--namespace={arena.namespace}", f"--kubeconfig={arena.api.kubeconfig}"]
    done = CliRunner().invoke(main, ["explain", "gang/job.heat", "-o", "json", *options])

    assert done.exit_code == 0, done.stderr
    assert "It needs 2 members, and 1 fit" in json.dumps(json.loads(done.stdout))


def test_example_gets_as_many_pods_as_pay(arena, gangs):
    arena.add_nodes(2, cpu="4")

    apply_example(arena, "sizedjob")

    gangs.until("job.heat", "Placed")
    assert 2 <= gangs.bound("job.heat") <= 8
