"""Which owners are kept: those that wait for a size, and no others, whatever a cluster has."""

import pytest

from lockstep.api.podgang.sizing.sized_job import job_with_size
from lockstep.api.podgang.sizing.sized_kind import sized_kind
from lockstep.belief.podgangs.sized_owners import SizedOwners
from lockstep.facts.gang.source import Source

parsed = sized_kind(Source.JOB).parse
RANGE = {"lockstep.dev/size": "2-6"}
SIZED = {"lockstep.dev/sized": "4", "lockstep.dev/sized-uid": "uid-of-heat"}


def job(name="heat", *, annotations=RANGE, labels=None, scheduler="lockstep", version="1", deleted=False, **spec):
    """Describe a Job that waits for a size, but for what is said otherwise."""
    metadata = {"name": name, "namespace": "team", "uid": f"uid-of-{name}", "resourceVersion": version}
    metadata |= {"annotations": annotations, "labels": labels} | ({"deletionTimestamp": "now"} if deleted else {})
    template = {"spec": {"schedulerName": scheduler}}
    return {"metadata": metadata, "spec": {"suspend": True, "template": template, **spec}}


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(job(annotations=None), id="no range"),
        pytest.param(job(suspend=False), id="not suspended"),
        pytest.param(job(scheduler="default-scheduler"), id="another scheduler"),
        pytest.param(job(labels={"kueue.x-k8s.io/queue-name": "q"}), id="queued by Kueue"),
        pytest.param(job(annotations={**RANGE, **SIZED}), id="has its size"),
        pytest.param(job(deleted=True), id="deleted"),
    ],
)
def test_other_jobs_are_not_kept_and_a_job_that_becomes_one_is_forgotten(other):
    jobs, fact = SizedOwners(), parsed(other)
    jobs.apply(fact)
    assert jobs.of(fact.gang) is None

    jobs.apply(parsed(job()))
    assert jobs.of(fact.gang).sizes == range(2, 7)
    jobs.apply(fact)
    assert jobs.of(fact.gang) is None


@pytest.mark.parametrize("text", ["many", "0-3", "5-2", "1-99999", ""])
def test_text_that_is_no_range_allows_no_size(text):
    assert not parsed(job(annotations={"lockstep.dev/size": text})).sizes


@pytest.mark.parametrize(
    ("spec", "follow"),
    [
        ({"completionMode": "Indexed", "completions": 3, "parallelism": 3}, True),
        ({"completionMode": "Indexed", "completions": 1}, True),
        ({"completionMode": "Indexed", "completions": 6, "parallelism": 3}, False),
        ({"completionMode": "NonIndexed", "completions": 3, "parallelism": 3}, False),
        ({}, False),
    ],
)
def test_completions_follow_the_size_where_each_pod_is_one(spec, follow):
    assert ("completions" in job_with_size(job(**spec), 4)["spec"]) is follow


def test_what_pods_need_is_unknown_again_after_a_change():
    jobs, first, second = SizedOwners(), parsed(job()), parsed(job(version="2"))
    jobs.apply(first)
    jobs.learn(first.gang, first.uid, "1", "the pods")
    assert jobs.pods(first.gang, first.uid) == "the pods"

    jobs.apply(second)
    jobs.learn(first.gang, first.uid, "1", "the pods")
    assert jobs.is_unknown(first.gang)
    assert jobs.pods(first.gang, "uid of another") is None
