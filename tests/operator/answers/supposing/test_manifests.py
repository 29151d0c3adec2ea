"""Objects as people write them down, and what is said of everything that can't be planned."""

import pytest

from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.supposing.manifests import read_manifests

HEAT = "{apiVersion: lockstep.dev/v1alpha1, kind: GangJob, metadata: {name: heat}, spec: {size: {min: 1, max: 2}}}"
COLD = HEAT.replace("heat", "cold")
BID = "{apiVersion: lockstep.dev/v1alpha1, kind: NodeBid, metadata: {name: n1}, spec: {}}"

OLD_JOB = HEAT.replace("GangJob", "Job").replace("lockstep.dev/v1alpha1", "batch/v1beta1")
TAKEN_KINDS = (
    "GangJob, Gang, GangSweep, Job, JobSet, LeaderWorkerSet, MPIJob, PodGroup, RayCluster, "
    "Pod, StatefulSet, Deployment, ReplicaSet, ReplicationController, "
    "PyTorchJob, TFJob, XGBoostJob, PaddleJob, JAXJob, "
    "TrainJob, TrainingRuntime, ClusterTrainingRuntime"
)

# Each line names the one before nine times.
BOMB = "\n".join(f"- &b{line} [{', '.join(9 * [f'*b{line - 1}' if line else 'x'])}]" for line in range(10))


def test_documents_are_read_in_their_order_and_empty_ones_are_left_out():
    gangs = read_manifests(f"---\n{HEAT}\n---\n---\n{COLD}\n", namespace="team")

    assert [(one["metadata"]["namespace"], one["metadata"]["name"]) for one in gangs] == [
        ("team", "heat"),
        ("team", "cold"),
    ]


def test_list_as_kubectl_prints_it_is_read():
    gangs = read_manifests(f"{{apiVersion: v1, kind: List, items: [{HEAT}, {COLD}]}}", namespace="team")

    assert [one["metadata"]["name"] for one in gangs] == ["heat", "cold"]


def test_objects_of_several_kinds_may_have_one_name():
    both = read_manifests(f"{HEAT}\n---\n{HEAT.replace('GangJob', 'Gang')}", namespace="team")

    assert [one["kind"] for one in both] == ["GangJob", "Gang"]


def test_namespace_that_is_written_counts():
    [gang] = read_manifests(HEAT.replace("name: heat", "name: heat, namespace: own"), namespace="team")

    assert gang["metadata"]["namespace"] == "own"


def test_times_become_strings_as_the_api_server_gets_them():
    [gang] = read_manifests(HEAT.replace("max: 2}", "max: 2}, deadline: 2026-01-01T00:00:00Z"), namespace="team")

    assert gang["spec"]["deadline"] == "2026-01-01T00:00:00+00:00"


def test_keys_become_strings_and_hours_stay_strings_as_kubectl_reads_them():
    labels = HEAT.replace("metadata: {", "metadata: {labels: {2026: a, true: b}, annotations: {limit: 12:30:00}, ")
    [gang] = read_manifests(labels, namespace="team")

    assert gang["metadata"]["labels"] == {"2026": "a", "true": "b"}
    assert gang["metadata"]["annotations"] == {"limit": "12:30:00"}


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("", "The file is empty. These can be planned: GangJob, Gang, GangSweep, ", id="nothing"),
        pytest.param("a: [", "It is neither YAML nor JSON", id="no YAML"),
        pytest.param("{[1]: 2}", "It is neither YAML nor JSON", id="a key that is a list"),
        pytest.param("!!python/object:os.system {}", "It is neither YAML nor JSON", id="code"),
        pytest.param("a: 2001-99-99", "It is neither YAML nor JSON: month must be in", id="a day that is none"),
        pytest.param("a: !!bool x", "It is neither YAML nor JSON: 'x'", id="a truth that is none"),
        pytest.param("a: !!timestamp x", "It is neither YAML nor JSON", id="a time that is none"),
        pytest.param("[" * 3000, "It is neither YAML nor JSON", id="too deep"),
        pytest.param("a: &a [*a]", "Its YAML aliases stand for more than", id="a list that holds itself"),
        pytest.param(
            BOMB, ("Its YAML aliases stand for more than 1000000 values."), id="a billion values in a few lines"
        ),
        pytest.param("a" * (2**22 + 1), "It has more than 4194304 characters", id="far too long"),
        pytest.param(
            HEAT.replace("heat", "heat, namespace: [a]"), "metadata.namespace of", id="a list for a namespace"
        ),
        pytest.param("just words", "A document in the file is not an object of Kubernetes.", id="words"),
        pytest.param(
            BID,
            f"No object in the file has pods. These can be planned: {TAKEN_KINDS}.",
            id="a kind without pods",
        ),
        pytest.param(
            BID.replace("NodeBid", "Sheep"),
            f"Sheep n1 is in the file: Lockstep does not know its pods. These can be planned: {TAKEN_KINDS}.",
            id="an unknown kind",
        ),
        pytest.param(OLD_JOB, "Job heat is in the file, and only a Job of batch/v1 can be planned.", id="an old Job"),
        pytest.param(f"{HEAT}\n---\n{BID}\n---\n{BID}", "NodeBid team/n1 is in the file twice.", id="a bid twice"),
        pytest.param("{metadata: 3}", "An object without a kind is in the file", id="no kind"),
        pytest.param(
            HEAT.replace("v1alpha1", "v9"), "GangJob heat is in the file, and only a GangJob of", id="another version"
        ),
        pytest.param(HEAT.replace("name: heat", "labels: {}"), "A GangJob in it has no name.", id="no name"),
        pytest.param(HEAT.replace("name: heat", "name: 7"), "A GangJob in it has no name.", id="a number for a name"),
        pytest.param(HEAT.replace("{size: {min: 1, max: 2}}", "3"), "GangJob heat has no spec.", id="no spec"),
        pytest.param(f"{HEAT}\n---\n{HEAT}", "GangJob team/heat is in the file twice.", id="twice"),
    ],
)
def test_anything_else_is_refused_with_a_sentence(text, want):
    with pytest.raises(AnswerError) as caught:
        read_manifests(text, namespace="team")

    assert want in str(caught.value)
    assert "\n" not in str(caught.value)
