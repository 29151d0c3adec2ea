"""Suspended Jobs with a range: the patch by which one gets its size."""

import pytest

from lockstep.api.podgang.sizing.sized_job import (
    job_awaits_size,
    job_problem,
    job_sizes,
    job_with_size,
    queued_job_awaits_size,
)

MARK = {"metadata": {"annotations": {"lockstep.dev/sized": "true"}}}


def job(status=None, **spec):
    """Describe a suspended Job as the API server returns it."""
    metadata = {"name": "heat", "namespace": "team", "uid": "u1", "resourceVersion": "7"}
    return {"metadata": metadata, "spec": {"suspend": True, "parallelism": 1, **spec}, "status": status or {}}


@pytest.mark.parametrize(
    ("status", "want"),
    [
        pytest.param({}, {"template": MARK}, id="a Job that has never run"),
        pytest.param({"startTime": "2026-01-01T00:00:00Z"}, {}, id="one whose template can't change any more"),
    ],
)
def test_pods_of_a_job_that_gets_a_size_belong_to_the_job(status, want):
    assert job_with_size(job(status), 3)["spec"] == {"suspend": False, "parallelism": 3, **want}


def test_size_is_for_the_job_that_was_read():
    patch = job_with_size(job(completions=1, completionMode="Indexed"), 3)

    # What it has begun with in an earlier run does not hold any more.
    annotations = {"lockstep.dev/sized": "3", "lockstep.dev/sized-uid": "u1", "lockstep.dev/first-size": None}
    assert patch["metadata"] == {"uid": "u1", "resourceVersion": "7", "annotations": annotations}
    assert patch["spec"]["completions"] == 3


RANGE = {"lockstep.dev/size": "2-6"}


def ranged(status=None, **spec):
    """Describe a suspended Job with a range of sizes."""
    found = job(status, **spec)
    return {**found, "metadata": {**found["metadata"], "annotations": RANGE}}


@pytest.mark.parametrize(
    ("asked", "want"),
    [
        pytest.param(ranged(completions=1, completionMode="Indexed"), range(2, 7), id="each pod is one completion"),
        pytest.param(ranged(completions=20), range(2, 7), id="more completions than its largest size"),
        pytest.param(ranged(completions=5), range(2, 6), id="fewer completions than its largest size"),
        pytest.param(ranged({"succeeded": 2}, completions=5), range(2, 4), id="some of its work is done"),
        pytest.param(ranged(), range(2, 7), id="no completions"),
    ],
)
def test_size_is_not_above_the_completions_that_are_left(asked, want):
    assert job_sizes(asked) == want
    assert job_problem(asked) == ""


def test_job_whose_completions_are_too_few_for_its_range_is_refused():
    asked = ranged(completions=1)

    assert not job_sizes(asked)
    assert job_problem(asked).startswith("its range begins at 2 pods, which its completions do not allow")


def awaits(queue, conditions):
    """Whether a Job with these conditions waits for a size, in a queue of Kueue or not."""
    template = {"spec": {"schedulerName": "lockstep"}}
    asked = ranged({"conditions": [{"type": kind, "status": status} for kind, status in conditions]}, template=template)
    asked["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": queue} if queue else {}
    return queued_job_awaits_size(asked) if queue else job_awaits_size(asked)


@pytest.mark.parametrize("queue", ["", "team"])
def test_job_that_has_ended_waits_for_no_size(queue):
    assert awaits(queue, [("Suspended", "True"), ("Complete", "False")])
    assert not awaits(queue, [("Suspended", "True"), ("Complete", "True")])
    assert not awaits(queue, [("Failed", "True")])
