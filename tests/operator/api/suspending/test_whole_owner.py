"""Whether all pods of an owner are of one Gang, as its templates say."""

import pytest

from lockstep.api.podgang.owners import OWNERS
from lockstep.api.suspending.whole_owner import has_other_pods
from lockstep.facts.gang.source import Source

OURS = {"spec": {"schedulerName": "lockstep"}}
OF_OTHERS = {"spec": {}}
NAMED = {"metadata": {"labels": {"lockstep.dev/member-of": "g"}}, **OURS}
GROUPED = {"metadata": {"labels": {"scheduling.x-k8s.io/pod-group": "g"}}, **OURS}
ODD = {"metadata": {"labels": ["odd"]}, **OURS}


def job(template):
    return {"spec": {"template": template}}


@pytest.mark.parametrize(
    ("source", "owner", "want"),
    [
        pytest.param(Source.JOB, job(OURS), False, id="Job"),
        pytest.param(Source.JOB, job(OF_OTHERS), True, id="Job of others"),
        pytest.param(Source.JOB, job(NAMED), True, id="Job with a Gang of a user"),
        pytest.param(Source.JOB, job(GROUPED), True, id="Job with a PodGroup"),
        pytest.param(Source.JOB, job(ODD), True, id="Job that can't be understood"),
        pytest.param(
            Source.JOB_SET,
            {"spec": {"replicatedJobs": [{"template": job(OURS)}, {"template": job(OF_OTHERS), "dependsOn": ["a"]}]}},
            True,
            id="JobSet with a later Job of others",
        ),
        pytest.param(
            Source.MPI_JOB,
            {"spec": {"mpiReplicaSpecs": {"Launcher": {"template": OF_OTHERS}, "Worker": {"template": OURS}}}},
            True,
            id="MPIJob whose launcher others schedule",
        ),
        pytest.param(
            Source.RAY_CLUSTER,
            {"spec": {"headGroupSpec": {"template": OURS}, "workerGroupSpecs": [{"template": OURS}]}},
            False,
            id="RayCluster",
        ),
        pytest.param(Source.POD_GROUP, {"spec": {"minMember": 3}}, False, id="PodGroup"),
    ],
)
def test_owner_has_other_pods_if_a_template_is_not_of_its_gang(source, owner, want):
    assert has_other_pods(OWNERS[source], owner) is want
