"""What breaks a schema is named, and what an API server takes is taken."""

import pytest
import yaml

from builders.manifests import gang
from live.examples import EXAMPLES
from lockstep.tenants.supposing.schema import violation

CRD = EXAMPLES[0].parents[1] / "crds" / "gangjobs.yaml"


@pytest.fixture(scope="module")
def schema_of_spec():
    # Not while tests are collected: each process of a run does that.
    [version] = yaml.load(CRD.read_text(), yaml.CSafeLoader)["spec"]["versions"]
    return version["schema"]["openAPIV3Schema"]["properties"]["spec"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.stem)
def test_examples_break_nothing(schema_of_spec, example):
    specs = [one["spec"] for one in yaml.safe_load_all(example.read_text()) if one and one["kind"] == "GangJob"]

    assert [violation(schema_of_spec, spec, "spec") for spec in specs] == [""] * len(specs)


@pytest.mark.parametrize(
    ("change", "want"),
    [
        pytest.param(
            {"size": {"min": 1, "max": 10**12}}, "spec.size.max must be at least 1 and at most 10000", id="a number"
        ),
        pytest.param({"size": {"min": True, "max": 2}}, "spec.size.min is not of the type integer", id="a boolean"),
        pytest.param({"size": [1]}, "spec.size is not of the type object", id="a type"),
        pytest.param({"load": "Much"}, "spec.load is none of ", id="an enumeration"),
        pytest.param({"after": [{"name": "A!"}]}, "spec.after[0].name does not match ", id="a pattern"),
        pytest.param({"work": {"serialTime": "1" * 10**6}}, "spec.work.serialTime has 1000000 entries", id="a length"),
        pytest.param({"size": {"min": 1, "max": 2, "allowed": [1] * 101}}, "spec.size.allowed has 101 ", id="a list"),
        pytest.param({"template": {"spec": {}}}, "spec.template.spec has no containers", id="a field that is missing"),
        pytest.param(
            {"template": {"spec": {"containers": [7]}}},
            "spec.template.spec.containers[0] is not of the type ",
            id="item",
        ),
    ],
)
def test_first_field_that_breaks_it_is_named(schema_of_spec, change, want):
    assert violation(schema_of_spec, {**gang("g", size=1)["spec"], **change}, "spec").startswith(want)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"x-kubernetes-int-or-string": True}, "250m"),
        ({"x-kubernetes-int-or-string": True}, 2),
        ({"type": "string", "nullable": True}, None),
        ({"x-kubernetes-preserve-unknown-fields": True}, {"any": [1]}),
        ({"type": "number", "minimum": 0}, 0.5),
    ],
    ids=["text or number", "number or text", "null", "anything", "number"],
)
def test_what_a_schema_allows_breaks_nothing(schema, value):
    assert violation(schema, value, "x") == ""
