"""Jobs of Kubeflow's training operator in a file: their pods are those of a PodGroup, or of a Gang of the user."""

import pytest
import yaml

from builders.owners import pod_gang_manifest, template, training_job
from coschedule import SerialWork
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.supposing.in_snapshot import suppose_alone
from lockstep.answers.supposing.manifests import read_manifests
from lockstep.answers.supposing.supposed_gangs import supposed
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.source import Source

NOW = 1_800_000_000.0
EVERY = frozenset(Source)
FIELD = "pytorchReplicaSpecs"
OWN_GANG = {"lockstep.dev/member-of": "heat"}


def ask(*objects, sources=EVERY):
    text = yaml.dump_all(objects, Dumper=yaml.SafeDumper)
    return supposed(read_manifests(text, namespace="team"), sources, NOW)


def fact(*objects, sources=EVERY):
    """The only Gang of a file as the planner knows it."""
    [gang] = ask(*objects, sources=sources).gangs
    return suppose_alone(gang, NOW)


def policy(**scheduling):
    return {"runPolicy": {"schedulingPolicy": scheduling}}


def sizes(found):
    """How many pods of each role are planned."""
    return sorted((role.sizes.minimum, role.sizes.maximum) for role in found.spec.roles)


def test_all_types_of_replicas_are_one_gang():
    assert sizes(fact(training_job())) == [(1, 1), (3, 3)]


def test_fewest_pods_are_those_that_its_policy_says():
    alike = training_job(pod=template(), **policy(minAvailable=2))

    assert sizes(fact(alike)) == [(2, 4)]


def test_annotations_of_the_job_count():
    heat = fact(training_job(annotations={"lockstep.dev/serial-time": "90m"}))

    assert heat.spec.work == SerialWork(serial=5400)


def test_line_is_written_by_the_training_operator():
    without = template(cpu="2")
    del without["spec"]["schedulerName"]

    assert ask(training_job(pod=without)).notes == ()


def test_other_scheduler_stays():
    [note] = ask(
        training_job(pod=template(cpu="2") | {"spec": template()["spec"] | {"schedulerName": "volcano"}})
    ).notes

    assert note.startswith(f"PyTorchJob heat: spec.{FIELD}.Worker.template.spec.schedulerName is volcano.")


def test_suspended_job_is_planned_as_if_it_were_not():
    [note] = ask(training_job(runPolicy={"suspend": True})).notes

    assert note == "PyTorchJob heat is suspended. This plan assumes that it is not."


def test_pod_groups_need_their_source():
    [note] = ask(training_job(), sources=frozenset({Source.PODS})).notes

    assert "needs the source podgroup" in note


@pytest.mark.parametrize(
    ("sources", "want"),
    [
        pytest.param({Source.PODS, Source.POD_GROUP}, "heat", id="both sources"),
        pytest.param({Source.JOB}, "heat", id="none of both"),
        pytest.param({Source.POD_GROUP}, "podgroup.heat", id="PodGroups alone"),
    ],
)
def test_pods_that_name_a_gang_of_the_user_belong_to_it_if_that_is_a_source(sources, want):
    named = {one: {"template": template(labels=OWN_GANG)} for one in ("Master", "Worker")}
    asked = ask(pod_gang_manifest(2), training_job(**{FIELD: named}), sources=frozenset(sources))

    assert [object_name(gang.key) for gang in asked.gangs if gang.pods] == [want]


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        pytest.param({FIELD: [1]}, f"PyTorchJob heat: spec.{FIELD} is not an object.", id="a list of types"),
        pytest.param({FIELD: {"Worker": 3}}, f"PyTorchJob heat: spec.{FIELD}.Worker is not an object.", id="a number"),
        pytest.param({FIELD: {}}, "PyTorchJob heat creates no pods at first", id="no types"),
        pytest.param(
            {FIELD: {"Worker": {"replicas": "two", "template": template()}}},
            f"spec.{FIELD}.Worker.replicas is not a whole number",
            id="a word",
        ),
        pytest.param(
            {FIELD: {"Worker": {}}}, f"spec.{FIELD}.Worker.template.spec.containers has no entry", id="no pod"
        ),
        pytest.param(
            policy(minAvailable=-1), "schedulingPolicy.minAvailable is not a whole number", id="less than none"
        ),
        pytest.param(
            policy(minAvailable=9), "would not be planned yet: 4 of the 9 needed pods", id="more than there are"
        ),
    ],
)
def test_job_that_makes_no_sense_is_refused_with_the_field(spec, want):
    with pytest.raises(AnswerError) as caught:
        fact(training_job(**spec))

    assert want in str(caught.value)
