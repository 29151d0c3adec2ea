"""The mark of owners with a size: for which it counts, and which would get a size once more."""

import pytest

from lockstep.api.podgang.sizing.size_mark import size_given_to
from lockstep.api.podgang.sizing.sized_kind import gets_size_anew
from lockstep.facts.gang.source import Source

SOURCES = frozenset({Source.JOB, Source.SIZED_JOB})
SIZED = {"lockstep.dev/size": "2-6", "lockstep.dev/sized": "4", "lockstep.dev/sized-uid": "u1"}
JOB = ("batch/v1", "Job")


def job(annotations, **spec):
    """A suspended Job, as the API server returns it."""
    template = {"spec": {"schedulerName": "lockstep"}}
    metadata = {"name": "heat", "namespace": "team", "uid": "u1", "annotations": annotations}
    return {"metadata": metadata, "spec": {"suspend": True, "template": template, **spec}}


@pytest.mark.parametrize(
    ("annotations", "want"),
    [
        pytest.param({"lockstep.dev/sized": "4", "lockstep.dev/sized-uid": "u1"}, "4", id="its own"),
        pytest.param({"lockstep.dev/sized": "4", "lockstep.dev/sized-uid": "u2"}, "", id="that of another"),
        pytest.param({"lockstep.dev/sized": "4"}, "4", id="of an earlier version"),
        pytest.param({"lockstep.dev/sized-uid": "u1"}, "", id="removed by its author"),
    ],
)
def test_size_counts_for_the_owner_that_has_got_it(annotations, want):
    assert size_given_to(job(annotations)) == want


@pytest.mark.parametrize(
    ("kind", "owner", "sources"),
    [
        pytest.param(JOB, job({"lockstep.dev/size": "2-6"}), SOURCES, id="one without a size"),
        pytest.param(JOB, job({**SIZED, "lockstep.dev/sized-uid": "u2"}), SOURCES, id="a copy"),
        pytest.param(JOB, job(SIZED), {Source.JOB}, id="sizes are no source any more"),
        pytest.param(JOB, job({"lockstep.dev/sized": "4"}), SOURCES, id="without a range by now"),
        pytest.param(JOB, job(SIZED, template={"spec": {}}), SOURCES, id="of another scheduler by now"),
        pytest.param(("jobset.x-k8s.io/v1alpha2", "JobSet"), job(SIZED), SOURCES, id="a kind without sizes"),
    ],
)
def test_owner_that_would_wait_for_ever_gets_no_size_anew(kind, owner, sources):
    assert not gets_size_anew(*kind, owner, sources)


def test_owner_with_a_range_gets_a_size_anew():
    assert gets_size_anew(*JOB, job(SIZED), SOURCES)
