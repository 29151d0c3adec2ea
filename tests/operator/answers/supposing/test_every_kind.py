"""``lockstep plan`` answers for every kind that Lockstep places and for every example, or says why it does not."""

import re
from pathlib import Path

import pytest
import yaml

from builders.jobs import jobset, replicated
from builders.owners import (
    bare_pod,
    job_of,
    leader_worker_set,
    mpi_job,
    owner,
    pod_gang_manifest,
    pod_group,
    ray_cluster,
    scheduling_group,
    template,
    training_job,
)
from builders.train_jobs import runtime_job, runtime_of, train_job
from live.examples import EXAMPLES, OF_CONTROLLERS
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.supposing.in_snapshot import suppose_alone
from lockstep.answers.supposing.manifests import read_manifests
from lockstep.answers.supposing.owner_kinds import REFUSED, TAKEN, TRAINING_JOBS, ObjectKind
from lockstep.answers.supposing.supposed_gangs import supposed
from lockstep.api.podgang.owners import OWNERS
from lockstep.api.podgang.single_pods import RUN_ALONE
from lockstep.api.suspending.suspendable import SUSPENDABLE_KINDS
from lockstep.facts.gang.source import Source

NOW = 1_800_000_000.0
PAGE = Path(__file__).parents[4] / "docs" / "place-what-you-have.md"
RANGE = {"lockstep.dev/size": "2-3"}
SETS = ("ReplicaSet", "StatefulSet", "Deployment")
QUEUED = bare_pod("a", labels={"kueue.x-k8s.io/pod-group-name": "heat"})
QUEUED["metadata"]["annotations"] = {"kueue.x-k8s.io/pod-group-total-count": "1"}
# What stands in the first column of the page's table, and files with such objects.
FILES = {
    "Job": [[job_of(parallelism=2)]],
    "JobSet, TrainJob": [
        [jobset(replicated("all", parallelism=2, pod=template()["spec"]))],
        [train_job(), runtime_of(runtime_job())],
    ],
    "LeaderWorkerSet": [[leader_worker_set()]],
    "MPIJob": [[mpi_job()]],
    "RayCluster": [[ray_cluster()]],
    "PodGroup, such as that of a PyTorchJob": [
        [pod_group(1), bare_pod("a", labels={"scheduling.x-k8s.io/pod-group": "heat"})],
        *([training_job(kind.kind, field)] for kind, field in TRAINING_JOBS.items()),
    ],
    "PodGroup of Kubernetes' own": [[scheduling_group(1), bare_pod("a", schedulingGroup={"podGroupName": "heat"})]],
    "group of Kueue": [[QUEUED]],
    "suspended Job with a range": [[job_of(suspend=True, parallelism=1, annotations=RANGE)]],
    "suspended RayCluster with a range": [[ray_cluster(suspend=True, annotations=RANGE)]],
    "single pods, such as those of Deployments": [
        [bare_pod("a")],
        *([owner("apps/v1", kind, replicas=2, template=template())] for kind in SETS),
        [owner("v1", "ReplicationController", replicas=2, template=template())],
    ],
    "all other pods": [[pod_gang_manifest(1), bare_pod("a", labels={"lockstep.dev/member-of": "heat"})]],
}
# Its rows that users do not write into a file.
OF_CONTROLLERS_ALONE = ("Workload of Kueue",)

EXAMPLES_WITH_PODS = [one for one in EXAMPLES if one.stem != "01-bids"]


def planned(text):
    """The Gangs of a file as the planner knows them, and its GangJobs."""
    asked = supposed(read_manifests(text, namespace="team"), frozenset(Source), NOW)
    return [*(suppose_alone(gang, NOW) for gang in asked.gangs), *asked.gang_jobs]


def rows():
    """The first column of the page's table of kinds, without links."""
    _, _, below = PAGE.read_text(encoding="utf-8").partition("\n## Kinds\n")
    cells = re.findall(r"^\| ([^|]+) \|", below.partition("\n\n#")[0], re.MULTILINE)
    return [re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", cell) for cell in cells if not cell.startswith("kind")]


def test_every_row_of_the_table_has_a_file_here():
    assert [row for row in rows() if row not in OF_CONTROLLERS_ALONE] == list(FILES)


@pytest.mark.parametrize(
    "objects",
    [pytest.param(one, id=f"{row}-{number}") for row, files in FILES.items() for number, one in enumerate(files)],
)
def test_kind_of_the_table_is_planned(objects):
    assert planned(yaml.safe_dump_all(objects))


def test_every_kind_whose_pods_are_placed_is_taken_or_refused_with_a_reason():
    placed = {
        *(ObjectKind(version, one.kind) for one in OWNERS.values() for version in one.versions),
        *(ObjectKind(one.api_version, one.kind) for one in SUSPENDABLE_KINDS),
        *(ObjectKind(*one) for one in RUN_ALONE),
    }

    assert placed <= {*TAKEN, *REFUSED}


@pytest.mark.parametrize("kind", REFUSED, ids=lambda one: one.kind)
def test_kind_that_is_refused_is_refused_with_its_reason(kind):
    with pytest.raises(AnswerError, match=f"{kind.kind} heat is in the file: {REFUSED[kind]}"):
        planned(yaml.safe_dump(owner(*kind, template=template())))


@pytest.mark.parametrize(
    "example", [*EXAMPLES_WITH_PODS, *sorted(OF_CONTROLLERS.glob("*.yaml"))], ids=lambda one: one.stem
)
def test_example_is_planned(example):
    assert planned(example.read_text(encoding="utf-8"))
