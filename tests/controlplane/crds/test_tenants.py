"""What the price list is made of is what the API server really takes: a sample of the shapes of each of our kinds."""

import random

import pytest

from sandbox import ApiError, Sandbox
from tenants.refused import REFUSED
from tenants.shapes import shapes_of_bids, shapes_of_gangs, shapes_of_pod_gangs
from tenants.sweeps import shapes_of_sweeps

PATHS = {
    "gangjobs": "/apis/lockstep.dev/v1alpha1/namespaces/default/gangjobs",
    "gangs": "/apis/lockstep.dev/v1alpha1/namespaces/default/gangs",
    "gangsweeps": "/apis/lockstep.dev/v1alpha1/namespaces/default/gangsweeps",
    "nodebids": "/apis/lockstep.dev/v1alpha1/nodebids",
}
KINDS = {"gangjobs": "GangJob", "gangs": "Gang", "gangsweeps": "GangSweep", "nodebids": "NodeBid"}
SHAPES = {
    "gangjobs": shapes_of_gangs,
    "gangs": shapes_of_pod_gangs,
    "gangsweeps": shapes_of_sweeps,
    "nodebids": shapes_of_bids,
}
SAMPLE = {"gangjobs": 40, "gangs": 10, "gangsweeps": 40, "nodebids": 10}


@pytest.mark.parametrize("plural", PATHS)
def test_api_server_takes_what_is_priced(api, plural):
    legal = [shape for shape in SHAPES[plural]() if shape.field.replace("spec.template.", "spec.") not in REFUSED]
    sample = random.Random(1).sample(legal, SAMPLE[plural])  # noqa: S311 - a sample is no secret

    answers = {shape[1:3]: answer(api, plural, shape.make()[0]) for shape in sample}

    assert {place: said for place, said in answers.items() if said} == {}


@pytest.mark.parametrize("field", REFUSED)
def test_field_whose_values_are_not_all_legal_is_refused_in_some_shape(api, field):
    shapes = [shape for shape in shapes_of_gangs() if shape.field == field]

    assert any(answer(api, shape.plural, shape.make()[0]) for shape in shapes)


def answer(api: Sandbox, plural, manifest):
    """Why the API server refuses it; nothing where it takes it."""
    whole = {
        "apiVersion": "lockstep.dev/v1alpha1",
        "kind": KINDS[plural],
        "metadata": {"name": manifest["metadata"]["name"]},
        "spec": manifest["spec"],
    }
    try:
        api.request("POST", f"{PATHS[plural]}?dryRun=All&fieldValidation=Strict", whole)
    except ApiError as error:
        return str(error)[:300]
    return ""
