"""What a GangSweep may say, and the sentence that answers what it may not."""

import pytest

from controlplane.crds.conftest import DRY_RUN, LEAST_GANG, refusal, with_patch
from sandbox import ApiError

PATH = "/apis/lockstep.dev/v1alpha1/namespaces/default/gangsweeps"
LEAST = {
    "apiVersion": "lockstep.dev/v1alpha1",
    "kind": "GangSweep",
    "metadata": {"name": "search"},
    "spec": {"runs": 10, "template": LEAST_GANG["spec"]},
}


@pytest.mark.parametrize(
    ("patch", "want"),
    [
        pytest.param({}, "", id="least"),
        pytest.param({"spec": {"runs": None, "parametersFrom": {"configMap": "p"}}}, "", id="parameters"),
        pytest.param({"spec": {"runs": None}}, "spec must have exactly one of runs and parametersFrom.", id="neither"),
        pytest.param({"spec": {"parametersFrom": {"configMap": "p"}}}, "spec must have exactly one of", id="both"),
        pytest.param({"spec": {"runs": 0}}, "should be greater than or equal to 1", id="no runs"),
        pytest.param({"spec": {"runs": 10_001}}, "should be less than or equal to 10000", id="too many"),
        pytest.param({"spec": {"finish": {"first": 11}}}, "finish.first must not be above runs.", id="first"),
        pytest.param({"metadata": {"name": "s" * 48}}, "must have at most 47 characters", id="name"),
        pytest.param({"spec": {"template": {"suspend": True}}}, "suspend the GangSweep instead.", id="suspend"),
        pytest.param(
            {"spec": {"template": {"ttlSecondsAfterFinished": 5}}}, "must not have ttlSecondsAfterFinished", id="ttl"
        ),
        pytest.param({"spec": {"template": {"size": {"min": 20}}}}, "size.min must not be above size.max.", id="size"),
    ],
)
def test_gang_sweep_is_judged(api, patch, want):
    """Its template is judged as the spec of a GangJob."""
    answer = refusal(api, f"{PATH}?{DRY_RUN}", with_patch(LEAST, patch))

    assert want in answer
    assert bool(answer) == bool(want)


def test_what_runs_are_made_of_stays(api, namespace):
    """Only what bounds the sweep may change."""
    folder = PATH.replace("default", namespace)
    api.request("POST", folder, LEAST)
    try:
        for patch in ({"runs": 11}, {"finish": {"first": 2}}, {"template": {"size": {"max": 4}}}):
            manifest = with_patch(api.request("GET", f"{folder}/search"), {"spec": patch})
            assert "can't be changed after creation; create another GangSweep instead." in changed(
                api, folder, manifest
            )
        manifest = with_patch(api.request("GET", f"{folder}/search"), {"spec": {"maxParallel": 3, "maxFailed": 1}})
        assert changed(api, folder, manifest) == ""
    finally:
        api.request("DELETE", f"{folder}/search")


def changed(api, folder, manifest):
    """Replace the sweep; returns why the API server refuses that, or ''."""
    try:
        api.request("PUT", f"{folder}/search", manifest)
    except ApiError as error:
        return str(error)
    return ""
