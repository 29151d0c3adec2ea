"""``kubectl explain`` describes the fields of answers, and no answer has a field that it does not describe."""

import json

import pytest
import yaml

from builders.manifests import gang
from eventually import eventually
from live.tenant_answers import HOUR, asked, plan_of
from lockstep.tenants.described.schemas import schema_of
from lockstep.tenants.documents import AnswerKind
from sandbox import KubectlError

# The API server requests the document of a group that is new to it about once a minute.
SECONDS = 180
PATHS = {
    AnswerKind.QUEUES: "queues/default",
    AnswerKind.GANGJOB_EXPLANATIONS: "gangjobexplanations/mine",
    AnswerKind.TIMELINES: "timelines/default",
    AnswerKind.HISTORIES: "histories/default",
}


@pytest.mark.parametrize(
    ("field", "want"),
    [
        ("queues", "The gangs of a namespace that run and wait."),
        ("gangjobexplanations.plan.sooner", "Changes with which the gang would start sooner."),
        ("plans.spec.gangJobSpec", "kubectl explain gangjobs.spec"),
    ],
)
def test_kubectl_explains_answers(arena, editor, field, want):
    text = eventually(lambda: explained(arena, editor, field), seconds=SECONDS, every=2)

    assert want in " ".join(text.split())


def explained(arena, kubeconfig, field):
    try:
        return arena.api.kubectl(f"--kubeconfig={kubeconfig}", "explain", field)
    except KubectlError as error:
        raise AssertionError(str(error)) from error


def test_plan_is_created_as_any_object_is(arena, editor):
    """Kubectl creates no object of a kind that it finds in no document."""
    eventually(lambda: explained(arena, editor, "plans"), seconds=SECONDS, every=2)
    question = {
        "apiVersion": "answers.lockstep.dev/v1alpha1",
        "kind": "Plan",
        "metadata": {"name": "wish", "namespace": "tenant"},
        "spec": {"gangJobSpec": gang("wish", size=2, cpu="3", **HOUR)["spec"]},
    }

    shown = arena.api.kubectl("create", "--filename=-", "--output=yaml", stdin=json.dumps(question))

    assert yaml.safe_load(shown)["plan"]["run"]["size"] == 2


def undescribed(schema, value, path=""):
    """The fields of a value that its schema does not have."""
    if isinstance(value, list):
        for one in value:
            yield from undescribed(schema["items"], one, path)
    elif isinstance(value, dict) and "x-kubernetes-preserve-unknown-fields" not in schema:
        for name, one in value.items():
            if name in schema["properties"]:
                yield from undescribed(schema["properties"][name], one, f"{path}.{name}")
            else:
                yield f"{path}.{name}"


@pytest.mark.parametrize("kind", PATHS)
def test_no_answer_has_a_field_that_is_not_described(arena, editor, kind):
    answer = asked(arena, editor, f"tenant/{PATHS[kind]}")

    assert answer.keys() > {"kind", "now"}
    assert [*undescribed(schema_of(kind), answer)] == []


def test_no_plan_has_a_field_that_is_not_described(arena):
    answer = plan_of(arena, arena.api.kubeconfig, gang("wish", size=2, cpu="3", **HOUR))

    assert answer["plan"]["sizes"]
    assert [*undescribed(schema_of(AnswerKind.PLANS), answer)] == []
