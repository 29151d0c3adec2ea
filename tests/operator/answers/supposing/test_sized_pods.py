"""Owners of a file that wait for a size, and the sentences on those that can't get one."""

import pytest

from builders.owners import job_of, pod_gang_manifest, ray_cluster, template
from builders.supposed import ask, facts, sizes
from lockstep.answers.reading.errors import AnswerError
from lockstep.facts.gang.source import Source


def sized_ray_cluster(size="3-7", **spec):
    """Describe a RayCluster that waits for a size."""
    workers = [{"groupName": "all", "replicas": 2, "maxReplicas": 4, "template": template(cpu="2")}]
    return ray_cluster(suspend=True, annotations={"lockstep.dev/size": size}, **{"workerGroupSpecs": workers, **spec})


def test_ray_cluster_that_waits_for_a_size_is_planned_with_its_range():
    assert sizes(sized_ray_cluster()) == {"raycluster.heat": [(1, 1), (2, 4)]}


def test_ray_cluster_that_can_not_get_its_size_is_refused_as_by_the_operator():
    with pytest.raises(AnswerError, match="would be refused: RayCluster: Ray's autoscaler sets its number of workers"):
        facts(sized_ray_cluster(enableInTreeAutoscaling=True))


@pytest.mark.parametrize(
    ("workers", "want"),
    [
        pytest.param({}, "RayCluster heat is invalid: KeyError 'groupName'", id="no name of the group"),
        pytest.param(
            {"groupName": "all", "minReplicas": "two"}, "minReplicas is not a whole number", id="an odd bound"
        ),
    ],
)
def test_odd_ray_cluster_that_waits_for_a_size_is_refused_with_a_sentence(workers, want):
    with pytest.raises(AnswerError, match=want):
        facts(sized_ray_cluster(workerGroupSpecs=[{**workers, "template": template()}]))


def test_gang_of_a_user_for_a_job_that_waits_for_a_size_awaits_its_pods():
    job = job_of(parallelism=1, suspend=True, annotations={"lockstep.dev/size": "2-6"})

    with pytest.raises(AnswerError, match="would not be planned yet: No pod of the Gang waits"):
        facts(pod_gang_manifest(2, name="job.heat"), job)


@pytest.mark.parametrize(
    ("owner_of", "want"),
    [
        pytest.param(job_of(parallelism=1, suspend=True, annotations={"lockstep.dev/size": "2-6"}), "job", id="a Job"),
        pytest.param(sized_ray_cluster(), "raycluster", id="a RayCluster"),
    ],
)
def test_owner_that_waits_for_a_size_needs_a_source_of_its_own(owner_of, want):
    assert ask(owner_of).notes == ()
    [note] = ask(owner_of, sources=frozenset({Source(want)})).notes
    assert f"needs the source sized{want}" in note
