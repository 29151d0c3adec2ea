"""Pods of a file that can't be planned: the sentence names the field."""

import pytest

from builders.owners import bare_pod, job_of, leader_worker_set, owner, pod_gang_manifest, template
from builders.supposed import LABEL, facts, group_of_kueue
from lockstep.answers.reading.errors import AnswerError


def without_containers():
    return {"spec": {"schedulerName": "lockstep"}}


@pytest.mark.parametrize(
    ("objects", "want"),
    [
        pytest.param([job_of(parallelism="four")], "Job heat: spec.parallelism is not a whole number", id="a word"),
        pytest.param([job_of(parallelism=0)], "Job heat creates no pods at first", id="no pods"),
        pytest.param(
            [job_of(without_containers())], "Job heat: spec.template.spec.containers has no entry", id="no containers"
        ),
        pytest.param([job_of([1])], "Job heat: spec.template is not an object.", id="a list for a template"),
        pytest.param(
            [job_of(template(labels={LABEL: 3}))],
            f"Job heat: spec.template.metadata.labels.{LABEL} is not text.",
            id="a number for a label",
        ),
        pytest.param(
            [job_of(annotations={"lockstep.dev/size": 3})],
            "Job heat: metadata.annotations.lockstep.dev/size is not text.",
            id="a number for an annotation",
        ),
        pytest.param(
            [job_of(template(nodeSelector={"gpu": True}))],
            "Job heat: spec.template.spec.nodeSelector.gpu is not text.",
            id="a truth for a label of nodes",
        ),
        pytest.param([job_of(template(cpu="much"))], "Job heat: spec.template.spec is invalid", id="an odd amount"),
        pytest.param(
            [job_of(template(nodeName="n1"))], "spec.template.spec has nodeName or schedulingGates", id="a bound pod"
        ),
        pytest.param(
            [owner("apps/v1", "Deployment", replicas=101, template=template())],
            "Deployment heat makes 101 gangs of one pod, and 100 at most",
            id="many gangs of one",
        ),
        pytest.param(
            [leader_worker_set(replicas=101)], "LeaderWorkerSet heat has 101 groups, and 100 at most", id="many groups"
        ),
        pytest.param(
            [job_of(name=f"job{number}", parallelism=60_000) for number in range(2)],
            "It creates more than 100000 pods at once",
            id="far too many pods",
        ),
        pytest.param(
            [bare_pod("a", labels={LABEL: "cold"})], "Pod a names the Gang cold, which is not in", id="no Gang"
        ),
        pytest.param(
            [pod_gang_manifest(2), bare_pod("a", labels={LABEL: "heat"})],
            "Gang team/heat would not be planned yet: 1 of the 2 needed pods wait for a node.",
            id="too few pods",
        ),
        pytest.param([pod_gang_manifest("two")], "Gang team/heat would be refused: ", id="a Gang of an odd size"),
        pytest.param(
            [owner("lockstep.dev/v1alpha1", "Gang", sise=2)], "Gang team/heat is invalid: KeyError", id="no size"
        ),
        pytest.param(
            [job_of(parallelism=2, annotations={"lockstep.dev/size": "9"})],
            "would be refused: Job: annotation lockstep.dev/size: asks for at least 9 pods, but only 2",
            id="an annotation that can't be obeyed",
        ),
        pytest.param(
            [pod_gang_manifest(1), bare_pod("a", labels={LABEL: "heat"}, resourceClaims=[{"name": "gpu"}])],
            "would be refused: pod a.spec.resourceClaims: Lockstep does not support this field yet",
            id="a field of a pod that is not supported",
        ),
        pytest.param(
            [job_of(template(resourceClaims=[{"name": "gpu"}]))],
            "refused: pod of Job heat: spec.template.spec.resourceClaims: Lockstep does not support this field yet",
            id="a field that is not supported",
        ),
    ],
)
def test_file_that_makes_no_sense_is_refused_with_the_field(objects, want):
    with pytest.raises(AnswerError) as caught:
        facts(*objects)

    assert want in str(caught.value)
    assert "\n" not in str(caught.value)


def test_pods_of_a_group_of_kueue_that_contradict_each_other_are_refused():
    with pytest.raises(AnswerError, match=r"would be refused: .* in pod a, and '3' in pod b"):
        facts(*group_of_kueue(2, "a"), *group_of_kueue(3, "b"))


def test_group_of_kueue_whose_pods_are_not_all_in_the_file_awaits_the_others():
    with pytest.raises(AnswerError, match="would not be planned yet: 2 of the 3 needed pods"):
        facts(*group_of_kueue(3, "ab"))
