"""What a person sees of our kinds through kubectl."""

import json
from pathlib import Path

import pytest
import yaml

from sandbox import KubectlError

CRDS = Path(__file__).parents[3] / "crds"
STATUS = {
    "state": "Running",
    "sizeAndRange": "8",
    "summary": "busy",
    "attempt": 2,
    "size": 8,
    "start": "2026-11-20T18:00:00Z",
    "expectedFinish": "2026-11-20T19:00:00Z",
    "finishedAt": "2026-11-20T19:00:02Z",
    "effectiveSpeedup": "5.9",
    "plan": {
        "likelyStart": "2026-11-20T18:00:00Z",
        "promisedStart": "2026-11-20T18:30:00Z",
        "size": 8,
        "position": 1,
        "changedAt": "2026-11-20T17:00:00Z",
        "changedBecause": "FirstPlanned",
    },
    "conditions": [
        {
            "type": "Placed",
            "status": "True",
            "reason": "Bound",
            "message": "All 8 members are bound.",
            "lastTransitionTime": "2026-11-20T18:00:00Z",
        }
    ],
}
BID = {
    "apiVersion": "lockstep.dev/v1alpha1",
    "kind": "NodeBid",
    "metadata": {"name": "n17"},
    "spec": {
        "dutyCycle": "250m",
        "capacity": 2,
        "availableFrom": "2026-11-20T18:00:00Z",
        "availableUntil": "2026-11-21T07:00:00Z",
        "slots": 1,
        "ownerPresent": False,
    },
}
ACCEPTED = {
    "type": "Accepted",
    "status": "True",
    "reason": "SpecUnderstood",
    "message": "The bid is understood.",
    "observedGeneration": 1,
    "lastTransitionTime": "2026-11-20T18:00:00Z",
}
BID_STATUS = {
    "conditions": [ACCEPTED],
    "planned": {"state": "Offered", "members": 2, "message": "Offered."},
    "measured": {"message": "Idle."},
}


@pytest.fixture
def placed(api, namespace, gang):
    """A namespace with a gang that is placed."""
    create_placed(api, namespace, "gangjobs", gang())
    return namespace


@pytest.fixture
def placed_pods(api, namespace, pod_gang):
    """A namespace with a gang of pods of others that is placed."""
    create_placed(api, namespace, "gangs", pod_gang())
    return namespace


def create_placed(api, namespace, plural, manifest):
    collection = f"/apis/lockstep.dev/v1alpha1/namespaces/{namespace}/{plural}"
    api.request("POST", collection, manifest)
    api.request("PATCH", f"{collection}/heat/status", {"status": STATUS})


@pytest.fixture
def bid(api):
    """A bid, deleted after the test."""
    api.apply([BID])
    api.request("PATCH", "/apis/lockstep.dev/v1alpha1/nodebids/n17/status", {"status": BID_STATUS})
    yield
    api.kubectl("delete", "nb", "n17")


def shown(table):
    """The cells of a table with one row, by column, without the age."""
    header, row = (line.split() for line in table.splitlines())
    cells = dict(zip(header, row, strict=True))
    del cells["AGE"]
    return cells


def test_get_gj_shows_what_an_owner_asks_first(api, placed):
    assert shown(api.kubectl("get", "gj", "-n", placed)) == {
        "NAME": "heat",
        "STATE": "Running",
        "SIZE": "8",
        "SUMMARY": "busy",
    }


def test_get_gj_wide_adds_attempt_speedup_times_and_reason(api, placed):
    assert shown(api.kubectl("get", "gj", "-n", placed, "-o", "wide")) == {
        "NAME": "heat",
        "STATE": "Running",
        "SIZE": "8",
        "ATTEMPT": "2",
        "SPEEDUP": "5.9",
        "START": "2026-11-20T18:00:00Z",
        "EXPECTED": "2026-11-20T19:00:00Z",
        "FINISHED": "2026-11-20T19:00:02Z",
        "PROMISED": "2026-11-20T18:30:00Z",
        "REASON": "Bound",
        "SUMMARY": "busy",
    }


@pytest.mark.parametrize("flags", [pytest.param([], id="short"), pytest.param(["-o", "wide"], id="wide")])
def test_get_gang_reads_as_get_gj(api, placed, placed_pods, flags):
    jobs, gangs = (shown(api.kubectl("get", kind, "-n", placed, *flags)) for kind in ("gj", "gang"))

    assert placed == placed_pods
    assert gangs == jobs


def test_get_nb_shows_the_offer(api, bid):
    assert shown(api.kubectl("get", "nb", "n17")) == {
        "NAME": "n17",
        "DUTY": "250m",
        "CAPACITY": "2",
        "OWNER": "false",
        "UNTIL": "2026-11-21T07:00:00Z",
        "MEMBERS": "2",
        "STATE": "Offered",
        "ACCEPTED": "True",
    }


def test_get_nb_wide_adds_window_slots_and_sentences(api, bid):
    offer, wide = (shown(api.kubectl("get", "nb", "n17", *flags)) for flags in ((), ("-o", "wide")))

    assert {column: wide[column] for column in wide.keys() - offer.keys()} == {
        "FROM": "2026-11-20T18:00:00Z",
        "SLOTS": "1",
        "WHY": "Offered.",
        "MEASURED": "Idle.",
    }


def test_get_lockstep_lists_every_kind(api, placed, placed_pods, bid):
    names = api.kubectl("get", "lockstep", "-n", placed, "-o", "name").split()

    assert {"gangjob.lockstep.dev/heat", "gang.lockstep.dev/heat", "nodebid.lockstep.dev/n17"} <= set(names)


@pytest.mark.parametrize(
    ("field", "want"),
    [
        pytest.param(
            "gj.spec.work.serialTime",
            "serialTime is the run time of the whole work with one member",
            id="a field of ours",
        ),
        pytest.param("gj.spec.load", "Proportional: a member's share is proportional to", id="a choice"),
        pytest.param("gj.spec.pieces", "at least one piece", id="a number"),
        pytest.param("gj.status.members.share", "share is the part of the work", id="a member's share"),
        pytest.param("gj.spec.template.spec", "tolerations\t<[]Object>", id="a pod's fields"),
        pytest.param("gj.spec.template.spec.containers.image", "Container image name.", id="a container's field"),
        pytest.param("gj.status.conditions", "Placed is True when every member is bound", id="conditions"),
        pytest.param("gangs.spec.size.min", "min is how many pods must exist", id="a field of a Gang"),
        pytest.param("nb.spec.dutyCycle", "dutyCycle is how busy the owner keeps the node", id="a bid's field"),
    ],
)
def test_explain_explains(api, field, want):
    assert want in " ".join(api.kubectl("explain", field).split(" ")).replace("\n    ", " ")


def test_apply_refuses_a_typo_in_the_template(api, namespace, gang):
    manifest = gang(
        {"metadata": {"namespace": namespace}, "spec": {"template": {"spec": {"nodeSelektor": {"a": "b"}}}}}
    )

    with pytest.raises(KubectlError, match=r'unknown field "spec\.template\.spec\.nodeSelektor"'):
        api.apply([manifest])


@pytest.mark.parametrize("kind", ["gangjobs", "gangs", "gangsweeps", "nodebids"])
def test_crd_fits_a_client_side_apply(api, kind):
    """Kubectl keeps what was applied in an annotation, and annotations may have 262,144 bytes in all."""
    stored = api.request("GET", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{kind}.lockstep.dev")

    applied = stored["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"]

    written = yaml.load((CRDS / f"{kind}.yaml").read_text(), Loader=yaml.CSafeLoader)
    assert json.loads(applied)["spec"] == written["spec"]
    assert len(applied.encode()) < 220_000, "room is left for the next Kubernetes version"


def test_crds_change_nothing_when_applied_again(api):
    answers = api.apply(CRDS).splitlines()

    assert [one for one in answers if not one.endswith(" unchanged")] == []
