"""Running Jobs whose size may change: which do, by what they say, and the patch that changes it."""

import copy

import pytest

from lockstep.api.podgang.gang_annotations import elastic_terms
from lockstep.api.podgang.made_gang import made_parts
from lockstep.api.podgang.owners import OWNERS
from lockstep.api.podgang.sizing.awaiting import NewSize
from lockstep.api.podgang.sizing.sized_job import job_problem, job_resized
from lockstep.api.podgang.sizing.sized_kind import sized_kind
from lockstep.facts.gang.source import Source

ELASTIC = "lockstep.dev/elastic"
FIRST = "lockstep.dev/first-size"
SIZED_UID = "lockstep.dev/sized-uid"
SAYS = {"lockstep.dev/size": "2-6", ELASTIC: "Members", "lockstep.dev/sized": "4", SIZED_UID: "uid-of-heat"}
METADATA = {"name": "heat", "namespace": "default", "uid": "uid-of-heat", "resourceVersion": "7", "annotations": SAYS}
JOB = {
    "metadata": METADATA,
    "spec": {
        "parallelism": 4,
        "completions": 4,
        "completionMode": "Indexed",
        "suspend": False,
        "template": {"spec": {}},
    },
    "status": {"failed": 1},
}


def job(*, metadata=None, annotations=None, spec=None, status=None):
    """The Job with these changes."""
    changed = copy.deepcopy(JOB)
    changed["metadata"] |= metadata or {}
    changed["metadata"]["annotations"] |= annotations or {}
    changed["spec"] |= spec or {}
    changed["status"] |= status or {}
    return changed


def elastic(manifest, **how):
    """What of a Job may change, as it is read."""
    return sized_kind(Source.JOB).parse(manifest, **how).elastic


def test_running_job_that_the_operator_has_sized_may_change_its_size():
    found = elastic(job())

    assert (found.pods, found.spec.restart_time, found.spec.min_interval) == (4, 120.0, 600.0)
    assert found.spec.keeps_members


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"annotations": {ELASTIC: "Restart"}}, id="another mode"),
        pytest.param({"annotations": {"lockstep.dev/min-interval": "soon"}}, id="a time that is none"),
        pytest.param({"annotations": {"lockstep.dev/sized": "5"}}, id="another number since"),
        pytest.param({"metadata": {"uid": "uid-of-copy"}}, id="a copy of a Job with a size"),
        pytest.param({"spec": {"suspend": True}}, id="suspended"),
        pytest.param({"spec": {"completionMode": "NonIndexed"}}, id="without indexes"),
        pytest.param({"spec": {"completions": 9}}, id="completions are its work"),
        pytest.param({"spec": {"managedBy": "kueue.x-k8s.io/multikueue"}}, id="run elsewhere"),
        pytest.param({"status": {"succeeded": 1}}, id="a part is done"),
        pytest.param({"status": {"failedIndexes": "2"}}, id="an index has failed for good"),
        pytest.param({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}, id="being deleted"),
        pytest.param({"metadata": {"labels": {"kueue.x-k8s.io/queue-name": "q"}}}, id="queued by Kueue"),
        pytest.param({"metadata": {"ownerReferences": [{"kind": "CronJob", "controller": True}]}}, id="of a CronJob"),
    ],
)
def test_job_keeps_its_size(changes):
    assert elastic(job(**changes)) is None


@pytest.mark.parametrize(
    ("said", "want"),
    [
        pytest.param({}, 4, id="nothing"),
        pytest.param({FIRST: "3"}, 3, id="fewer"),
        pytest.param({FIRST: "6"}, 6, id="more, since it has shrunk"),
        *(pytest.param({FIRST: text}, 4, id=repr(text[:9])) for text in ("", "0", "-3", "3.5", "²", "9" * 5000)),
    ],
)
def test_job_says_with_how_many_pods_it_has_begun(said, want):
    assert elastic(job(annotations=said)).first == want


def test_job_of_which_a_part_is_done_may_still_go_back():
    assert elastic(job(status={"succeeded": 1}), is_ending=True).pods == 4


def test_another_size_changes_both_numbers_of_the_job_as_it_was_read():
    annotations = {"lockstep.dev/sized": "6", SIZED_UID: "uid-of-heat", FIRST: "4"}
    assert job_resized(job(), NewSize(6, 4)) == {
        "metadata": {"uid": "uid-of-heat", "resourceVersion": "7", "annotations": annotations},
        "spec": {"parallelism": 6, "completions": 6},
    }


@pytest.mark.parametrize(
    ("annotations", "says"),
    [
        ({ELASTIC: "Restart"}, "must be Members, the only mode, not 'Restart'"),
        ({ELASTIC: "Members", "lockstep.dev/restart-time": "0s"}, "'0s' is not a duration from 1s to 24h"),
        ({ELASTIC: "Members", "lockstep.dev/min-interval": "2y"}, "'2y' is not a duration from 1s to 8760h"),
    ],
)
def test_terms_that_make_no_sense_are_refused_with_the_annotation(annotations, says):
    with pytest.raises(ValueError, match=says):
        elastic_terms(annotations)


@pytest.mark.parametrize(
    ("source", "annotations", "says"),
    [
        pytest.param(
            Source.JOB_SET, {ELASTIC: "Members"}, "a JobSet can't change its size while it runs", id="another kind"
        ),
        pytest.param(
            Source.JOB, {ELASTIC: "Members"}, "it needs the annotation lockstep.dev/size with a range", id="no range"
        ),
    ],
)
def test_annotation_that_changes_nothing_is_refused(source, annotations, says):
    owner = {"metadata": {**METADATA, "annotations": annotations}, "spec": {"replicatedJobs": []}}

    assert says in made_parts(OWNERS[source], owner)["metadata"]["annotations"]["lockstep.dev/problem"]


def test_job_whose_completions_are_its_work_can_not_wait_for_changes():
    assert "only an Indexed Job" in job_problem(job(spec={"completions": 9}))
    assert job_problem(job(status={"failed": 0})) == ""
