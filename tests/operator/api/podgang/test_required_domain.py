"""Where all pods of an owner have to be, by the annotations that Kueue and KAI read."""

import pytest

from builders.jobs import job, jobset, replicated
from lockstep.api.podgang.made_gang import PROBLEM_ANNOTATION, made_parts
from lockstep.api.podgang.owners import OWNERS
from lockstep.facts.gang.source import Source

RACK, BLOCK = "example.com/rack", "example.com/block"
KUEUE, KAI = "kueue.x-k8s.io/podset-required-topology", "kai.scheduler/topology-required-placement"
PREFERRED = {
    "kueue.x-k8s.io/podset-preferred-topology": RACK,
    "kai.scheduler/topology-preferred-placement": RACK,
}


def annotated(**annotations):
    """A template with annotations."""
    return {"metadata": {"annotations": annotations}, "spec": {}}


IN_RACK, IN_BLOCK, ANYWHERE = annotated(**{KUEUE: RACK}), annotated(**{KUEUE: BLOCK}), annotated(**PREFERRED)
A_JOB = job(template=ANYWHERE)


def owner_of(kind_fields, **annotations):
    """The owner with annotations of its own."""
    return {**kind_fields, "metadata": {"name": "heat", "uid": "uid-of-heat", "annotations": annotations}}


def mpi_job(launcher, worker=None, **spec):
    """Describe an MPIJob by its templates."""
    workers = {"Worker": {"replicas": 3, "template": worker}} if worker else {}
    return {"spec": {**spec, "mpiReplicaSpecs": {"Launcher": {"template": launcher}, **workers}}}


def group(leader, worker, **spec):
    """Describe a LeaderWorkerSet by its templates."""
    return {"spec": {**spec, "leaderWorkerTemplate": {"size": 2, "leaderTemplate": leader, "workerTemplate": worker}}}


def steps(first, second):
    """Describe a JobSet of two Jobs, of which one comes later."""
    jobs = replicated("a", template=first), replicated("b", template=second)
    return jobset(*jobs, startupPolicy={"startupPolicyOrder": "InOrder"})


def made(source, owner):
    return made_parts(OWNERS[source], owner)


@pytest.mark.parametrize(
    ("source", "owner", "want"),
    [
        pytest.param(Source.JOB, owner_of(A_JOB), None, id="what is preferred"),
        pytest.param(Source.JOB, owner_of(job(template=IN_RACK)), RACK, id="a Job for Kueue"),
        pytest.param(Source.JOB, owner_of(A_JOB, **{KAI: RACK, "kai.scheduler/topology": "all"}), RACK, id="for KAI"),
        pytest.param(Source.JOB, owner_of(job(template=IN_RACK), **{KAI: RACK}), RACK, id="for both"),
        pytest.param(Source.JOB, owner_of(A_JOB, **{KUEUE: RACK}), None, id="where Kueue does not read it"),
        pytest.param(Source.JOB_SET, owner_of(steps(IN_RACK, IN_RACK)), RACK, id="a JobSet in steps"),
        pytest.param(Source.MPI_JOB, owner_of(mpi_job(IN_RACK, IN_RACK)), RACK, id="an MPIJob"),
        pytest.param(Source.MPI_JOB, owner_of(mpi_job(IN_RACK)), RACK, id="an MPIJob without workers"),
        pytest.param(Source.LEADER_WORKER_SET, owner_of(group(IN_RACK, IN_RACK)), RACK, id="a LeaderWorkerSet"),
        pytest.param(Source.POD_GROUP, owner_of({"spec": {"minMember": 2}}, **{KAI: RACK}), RACK, id="a PodGroup"),
        pytest.param(Source.SINGLE, owner_of({"spec": {}}, **{KAI: RACK, KUEUE: BLOCK}), RACK, id="a pod alone"),
        pytest.param(Source.POD_GROUP, owner_of({"spec": {"minMember": 2}}), None, id="a PodGroup that says nothing"),
    ],
)
def test_domain_that_all_pods_require_is_that_of_the_gang(source, owner, want):
    parts = made(source, owner)

    assert parts["metadata"]["annotations"][PROBLEM_ANNOTATION] is None
    assert parts["spec"]["placement"] == ({"allIn": want} if want else None)


@pytest.mark.parametrize(
    ("source", "owner", "want"),
    [
        pytest.param(
            Source.MPI_JOB,
            owner_of(mpi_job(ANYWHERE, IN_RACK)),
            f"annotation {KUEUE} of spec.mpiReplicaSpecs.Worker.template says {RACK}, "
            f"and spec.mpiReplicaSpecs.Launcher.template has no {KUEUE}",
            id="some pods only",
        ),
        pytest.param(
            Source.JOB_SET,
            owner_of(steps(ANYWHERE, IN_RACK)),
            "spec.replicatedJobs[0].template.spec.template has no",
            id="pods that come later",
        ),
        pytest.param(
            Source.LEADER_WORKER_SET,
            owner_of(group(IN_RACK, IN_BLOCK, startupPolicy="LeaderReady")),
            f"spec.leaderWorkerTemplate.workerTemplate says {BLOCK}",
            id="two labels",
        ),
        pytest.param(
            Source.JOB,
            owner_of(job(template=IN_RACK), **{KAI: BLOCK}),
            f"annotation {KAI} of its own metadata says {BLOCK}, and annotation {KUEUE} of spec.template says {RACK}",
            id="Kueue and KAI differ",
        ),
        *(
            pytest.param(
                Source.JOB,
                owner_of(job(template=annotated(**{KUEUE: RACK, name: RACK}))),
                f"annotation {name} of spec.template: a Gang can't have domains for parts of its pods",
                id=name,
            )
            for name in (
                "kueue.x-k8s.io/podset-slice-required-topology",
                "kueue.x-k8s.io/podset-slice-required-topology-constraints",
                "kai.scheduler/segment-topology-required-placement",
                KAI,
            )
        ),
    ],
)
def test_requirement_that_a_gang_cant_have_is_refused_with_a_sentence(source, owner, want):
    parts = made(source, owner)

    problem = parts["metadata"]["annotations"][PROBLEM_ANNOTATION]
    assert problem.startswith(f"{OWNERS[source].kind}: ")
    assert want in problem
    assert parts["spec"]["placement"] is None
