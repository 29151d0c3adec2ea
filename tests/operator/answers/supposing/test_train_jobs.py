"""TrainJobs of a file are planned as the JobSets that Kubeflow's Trainer makes of them, by their runtimes."""

import pytest

from builders.owners import job_of, pod_gang_manifest, template
from builders.train_jobs import runtime_job, runtime_of, runtime_patch, train_job
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.supposing.in_snapshot import suppose_alone
from lockstep.answers.supposing.supposed_gangs import supposed
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.source import Source

NOW = 1_800_000_000.0
EVERY = frozenset(Source)
GROUPED = {"podGroupPolicy": {"coscheduling": {}}}
MPI = {"numNodes": 1, "mpi": {"runLauncherAsNode": True}}
INITIALIZED = (
    runtime_job("dataset-initializer", step="dataset-initializer", replicas=2),
    runtime_job(depends_on=["dataset-initializer"], cpu="4"),
)


def ask(*objects, sources=EVERY):
    placed = [{**one, "metadata": {"namespace": "team", **one["metadata"]}} for one in objects]
    return supposed(placed, sources, NOW)


def facts(*objects, sources=EVERY):
    return {object_name(one.key): suppose_alone(one, NOW) for one in ask(*objects, sources=sources).gangs}


def needs(fact):
    """How many pods of each number of cores there are."""
    return sorted((role.sizes.maximum, dict(role.needs.request)["cpu"]) for role in fact.spec.roles)


@pytest.mark.parametrize(
    ("objects", "want"),
    [
        pytest.param([train_job(), runtime_of(runtime_job())], [(1, 1000)], id="as many nodes as its runtime says"),
        pytest.param(
            [train_job(trainer={"numNodes": 4}), runtime_of(runtime_job(parallelism=7, replicas=3))],
            [(4, 1000)],
            id="as many nodes as it says itself",
        ),
        pytest.param(
            [train_job(), runtime_of(runtime_job(parallelism=3), mlPolicy=None)],
            [(3, 1000)],
            id="as many pods as the Job has, without a policy",
        ),
        pytest.param(
            [
                train_job(trainer={"numNodes": 2, "resourcesPerNode": {"requests": {"cpu": "8"}}}),
                runtime_of(runtime_job()),
            ],
            [(2, 8000)],
            id="with the amounts of each node",
        ),
        pytest.param(
            [train_job(trainer={"numNodes": 4}), runtime_of(*INITIALIZED)],
            [(1, 1000)],
            id="the initializer comes first",
        ),
        pytest.param(
            [
                train_job(trainer={"numNodes": 4, "resourcesPerNode": {"limits": {"cpu": "2"}}}),
                runtime_of(runtime_job("launcher"), runtime_job(step=""), mlPolicy=MPI),
            ],
            [(1, 1000), (3, 2000)],
            id="the launcher of an MPI runtime is one of the nodes",
        ),
        pytest.param(
            [
                train_job(
                    trainer={"numNodes": 2},
                    runtimePatches=[runtime_patch(tolerations=[{"operator": "Exists"}], containers=[{"name": "node"}])],
                ),
                runtime_of(runtime_job()),
            ],
            [(2, 1000)],
            id="a patch of its pods",
        ),
    ],
)
def test_train_job_has_the_pods_that_trainer_would_make(objects, want):
    assert needs(facts(*objects)["jobset.heat"]) == want


def test_patches_of_the_runtime_say_where_the_pods_belong():
    patches = [runtime_patch(metadata={"labels": {"lockstep.dev/member-of": "mine"}})]

    [(name, mine)] = facts(
        train_job(runtimePatches=patches), runtime_of(runtime_job()), pod_gang_manifest(1, name="mine")
    ).items()

    assert (name, needs(mine)) == ("mine", [(1, 1000)])


def test_train_job_with_a_pod_group_is_planned_as_that():
    [(name, heat)] = facts(train_job(trainer={"numNodes": 4}), runtime_of(runtime_job(), **GROUPED)).items()

    assert (name, needs(heat)) == ("podgroup.heat", [(4, 1000)])


def test_pod_group_of_a_train_job_counts_only_if_that_is_a_source():
    asked = [train_job(trainer={"numNodes": 4}), runtime_of(runtime_job(), **GROUPED)]

    assert list(facts(*asked, sources={Source.JOB_SET})) == ["jobset.heat"]


def test_annotations_of_the_runtime_count_and_those_of_the_train_job_do_not():
    says = {"annotations": {"lockstep.dev/serial-time": "1h"}}
    job = train_job()
    job["metadata"]["annotations"] = {"lockstep.dev/serial-time": "2h"}

    assert facts(job, runtime_of(runtime_job(), metadata=says))["jobset.heat"].spec.work.serial == 3600


def test_suspended_train_job_is_planned_as_if_it_were_not():
    asked = ask(train_job(suspend=True), runtime_of(runtime_job()))

    assert asked.notes == ("JobSet heat is suspended. This plan assumes that it is not.",)


def test_runtimes_of_one_name_are_distinguished_by_their_kinds():
    own = runtime_of(runtime_job(cpu="2"), kind="TrainingRuntime")

    asked = facts(train_job(kind="TrainingRuntime"), own, runtime_of(runtime_job()))

    assert needs(asked["jobset.heat"]) == [(1, 2000)]


@pytest.mark.parametrize(
    ("objects", "want"),
    [
        pytest.param([train_job()], "TrainJob heat names the ClusterTrainingRuntime torch, which is not", id="none"),
        pytest.param([train_job(runtime="")], "TrainJob heat: spec.runtimeRef names no TrainingRuntime", id="no name"),
        pytest.param([train_job(kind="Job")], "TrainJob heat: spec.runtimeRef names no", id="another kind"),
        pytest.param([train_job(runtime=3)], "TrainJob heat: spec.runtimeRef.name is not text.", id="a number"),
        pytest.param([runtime_of(runtime_job())], "torch creates no pods without a TrainJob.", id="only a runtime"),
        pytest.param([train_job(), runtime_of()], "JobSet heat creates no pods at first", id="a runtime without Jobs"),
        pytest.param(
            [train_job(trainer={"numNodes": "four"}), runtime_of(runtime_job())],
            "TrainJob heat of ClusterTrainingRuntime torch: spec.trainer.numNodes is not a whole number",
            id="a word for a number",
        ),
        pytest.param(
            [train_job(), runtime_of(3)],
            "TrainJob heat of ClusterTrainingRuntime torch: spec.template.spec.replicatedJobs[0] is not an object.",
            id="an odd runtime",
        ),
    ],
)
def test_what_is_missing_is_said_in_a_sentence(objects, want):
    with pytest.raises(AnswerError) as caught:
        facts(*objects)

    assert want in str(caught.value)


def test_other_objects_of_the_file_stay_as_they_are():
    asked = facts(job_of(template(), name="other"), train_job(), runtime_of(runtime_job()))

    assert list(asked) == ["job.other", "jobset.heat"]
