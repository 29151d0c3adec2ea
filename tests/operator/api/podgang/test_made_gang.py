"""The Gang that the operator makes for a Job: how many of its pods are placed together."""

import pytest

from lockstep.api.podgang.made_gang import made_parts
from lockstep.api.podgang.owners import OWNERS
from lockstep.facts.gang.source import Source

SIZE = "lockstep.dev/size"


def size(spec, status=None, annotations=None):
    """The size of the Gang of a Job."""
    job = {
        "metadata": {"name": "heat", "uid": "uid-of-heat", "annotations": annotations},
        "spec": spec,
        "status": status,
    }
    return made_parts(OWNERS[Source.JOB], job)["spec"]["size"]


@pytest.mark.parametrize(
    ("spec", "status", "want"),
    [
        pytest.param({}, None, 1, id="a Job that says nothing"),
        pytest.param({"parallelism": 4}, {"succeeded": 3}, 4, id="its pods say when all is done"),
        pytest.param({"parallelism": 4, "completions": 10}, None, 4, id="it has just begun"),
        pytest.param({"parallelism": 4, "completions": 3}, None, 3, id="fewer completions than run at a time"),
        pytest.param({"parallelism": 4, "completions": 10}, {"succeeded": 8}, 2, id="its last ones"),
        pytest.param({"parallelism": 4, "completions": 4}, {"succeeded": 3}, 1, id="the last one is made anew"),
        pytest.param(
            {"parallelism": 5, "completions": 5}, {"succeeded": 1, "failedIndexes": "0,2-3"}, 1, id="others have failed"
        ),
        pytest.param({"parallelism": 4, "completions": 4}, {"succeeded": 4}, 1, id="all are done"),
        pytest.param({"parallelism": 0, "completions": 4}, None, 1, id="none may run"),
    ],
)
def test_pods_of_a_job_that_are_placed_together_are_those_that_it_still_makes(spec, status, want):
    assert size(spec, status)["min"] == want


def test_range_of_a_job_begins_no_higher_than_what_it_still_makes():
    spec, says = {"parallelism": 6, "completions": 6}, {SIZE: "4-6"}

    assert size(spec, None, says) == {"min": 4, "max": 6}
    assert size(spec, {"succeeded": 4}, says) == {"min": 2, "max": 6}


@pytest.mark.parametrize("says", ["1", "4", "many"])
def test_size_that_a_binding_has_written_to_a_single_pod_does_not_change_its_gang(says):
    pod = {"metadata": {"name": "web-0", "uid": "uid-of-web-0", "annotations": {SIZE: says}}, "spec": {}}

    assert made_parts(OWNERS[Source.SINGLE], pod)["spec"]["size"] == {"min": 1, "max": None}
