"""Whatever stands in a file, there is an answer or one sentence: no schema has checked it before."""

import copy
import random

import pytest
import yaml

from builders.jobs import jobset, replicated
from builders.mutations import mutated, places
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
from builders.train_jobs import runtime_job, runtime_of, runtime_patch, train_job
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.supposing.in_snapshot import suppose_alone
from lockstep.answers.supposing.manifests import read_manifests
from lockstep.answers.supposing.supposed_gangs import supposed
from lockstep.facts.gang.source import Source

NOW = 1_800_000_000.0
SEEDS = range(600)
OTHER_TYPES = (None, True, 3, -1.5, "x", [], [1], {}, {"x": 1}, [{}])
FULL = template(
    cpu="2",
    labels={"lockstep.dev/member-of": "heat"},
    nodeSelector={"zone": "a"},
    tolerations=[{"key": "k", "operator": "Exists"}],
    volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}],
    affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]}},
)
TRAIN_JOB = train_job(trainer={"numNodes": 2}, runtimePatches=[runtime_patch(nodeSelector={"zone": "a"})])
RUNTIME = runtime_of(runtime_job(), podGroupPolicy={"coscheduling": {}})
# What makes pods only together.
BESIDE = {TRAIN_JOB["kind"]: (RUNTIME,), RUNTIME["kind"]: (TRAIN_JOB,)}
FILE = (
    pod_gang_manifest(2, work={"serialTime": "1h"}, placement={"allIn": "zone"}),
    job_of(FULL, name="member", parallelism=2, completions=3),
    job_of(parallelism=2, annotations={"lockstep.dev/size": "1-2", "lockstep.dev/serial-time": "1h"}),
    jobset(replicated("all", replicas=2, parallelism=2, pod=FULL["spec"])),
    leader_worker_set(replicas=2),
    mpi_job(runPolicy={"suspend": False}),
    training_job(pod=FULL, runPolicy={"schedulingPolicy": {"minAvailable": 3}}),
    ray_cluster(),
    ray_cluster(suspend=True, annotations={"lockstep.dev/size": "2-5"}),
    TRAIN_JOB,
    RUNTIME,
    pod_group(1),
    scheduling_group(1, schedulingConstraints={"topology": [{"key": "zone"}]}),
    bare_pod("b", schedulingGroup={"podGroupName": "heat"}),
    bare_pod("a", labels={"scheduling.x-k8s.io/pod-group": "heat"}),
    owner("apps/v1", "StatefulSet", replicas=2, podManagementPolicy="Parallel", template=FULL),
)


@pytest.mark.parametrize("seed", SEEDS)
def test_odd_file_has_an_answer_or_one_sentence(seed):
    rnd = random.Random(seed)  # noqa: S311 - a case has to come again
    whole = rnd.choice(FILE)
    odd = with_other_types(rnd, whole) if rnd.random() < 0.5 else mutated(rnd, whole)

    assert "\n" not in refusal_of(yaml.safe_dump_all([odd, *BESIDE.get(whole["kind"], ())]))


def refusal_of(text):
    """Why a file is not planned; '' if it is."""
    try:
        asked = supposed(read_manifests(text, namespace="team"), frozenset(Source), NOW)
        for gang in asked.gangs:
            suppose_alone(gang, NOW)
    except AnswerError as error:
        return str(error)
    return ""


def with_other_types(rnd, manifest):
    """A copy in which values of other types stand, anywhere."""
    result = yaml.safe_load(yaml.safe_dump(manifest))
    for _ in range(rnd.randint(1, 2)):
        holder, key = rnd.choice(list(places(result)))
        holder[key] = copy.deepcopy(rnd.choice(OTHER_TYPES))
    return result
