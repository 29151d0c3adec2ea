"""What holds for every field of our CRDs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from lockstep.facts.pods.pod import MOST_GRACE_SECONDS

CRDS = Path(__file__).parents[3] / "crds"
OF_KUBERNETES = "spec.template.spec."
OF_LATER_PODS = ("spec.later[].resources.", "spec.later[].tolerations[].")
# What a GangSweep has below spec.template is the spec of a GangJob.
OF_TEMPLATES_OF_RUNS = ("spec.template.template.", "spec.template.roles[].template.")
OF_TEMPLATES = (
    OF_KUBERNETES,
    "spec.template.metadata.",
    "spec.roles[].template.",
    *OF_TEMPLATES_OF_RUNS,
    *OF_LATER_PODS,
)
# Descriptions of a template reach down to the fields of a container, and those of roles are not described again.
DESCRIBED_LEVELS = 3
# What client-side apply can store is 262,144 bytes, with some room for fields to come.
MOST_BYTES = 220_000
OF_CLAIMS = "volumeClaimTemplates[].spec."
BOUNDS = {
    "array": {"maxItems"},
    "integer": {"minimum", "maximum"},
    "string": {"maxLength"},
    "int-or-string": {"maxLength"},
    "number-or-string": {"minimum", "maximum", "maxLength", "pattern"},
    "map": {"maxProperties"},
}
# What keeps lists, objects and truths out of a field that takes a number with a fraction, and so has no type.
NO_OTHER_KIND = (0, 0, {"enum": [True, False, [], {}]})


class Field(NamedTuple):
    """A field, or what a list or map holds; that has no name."""

    path: str
    name: str
    schema: dict[str, Any]

    @property
    def kind(self) -> str:
        if "x-kubernetes-int-or-string" in self.schema:
            return "int-or-string"
        if "x-kubernetes-preserve-unknown-fields" in self.schema:
            return "number-or-string"
        if "additionalProperties" in self.schema:
            return "map"
        return "choice" if "enum" in self.schema else self.schema["type"]


def fields_below(path: str, schema: dict[str, Any]) -> Iterator[Field]:
    for name, one in schema.get("properties", {}).items():
        below = f"{path}.{name}".removeprefix(".")
        yield Field(below, name, one)
        yield from fields_below(below, one)
    for nested in ("items", "additionalProperties"):
        if nested in schema:
            yield Field(f"{path}[]", "", schema[nested])
            yield from fields_below(f"{path}[]", schema[nested])


def fields_of(kind: str) -> list[Field]:
    """Every field but metadata, about which a CRD may say nothing."""
    found = fields_below("", version_of(kind)["schema"]["openAPIV3Schema"])
    return [field for field in found if not field.path.startswith("metadata")]


def version_of(kind: str) -> dict[str, Any]:
    """The only version of a kind."""
    crd = yaml.load((CRDS / f"{kind}.yaml").read_text(), Loader=yaml.CSafeLoader)
    [version] = crd["spec"]["versions"]
    return version


KINDS = ("gangjobs", "gangs", "gangsweeps", "fairshares", "nodebids")
FIELDS = [field for kind in KINDS for field in fields_of(kind)]


def test_template_is_the_whole_pod():
    paths = {field.path for field in FIELDS}

    assert len(paths) > 800
    assert f"{OF_KUBERNETES}affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution" in paths
    assert f"{OF_KUBERNETES}containers[].resources.limits" in paths
    assert f"{OF_KUBERNETES}ephemeralContainers" not in paths


@pytest.mark.parametrize("kind", BOUNDS)
def test_every_field_is_bounded(kind):
    fields = [field for field in FIELDS if field.kind == kind]

    assert len(fields) > 1
    assert [field.path for field in fields if not BOUNDS[kind] <= field.schema.keys()] == []


def test_definition_leaves_room_where_client_side_apply_stores_it():
    crd = yaml.load((CRDS / "gangjobs.yaml").read_text(), Loader=yaml.CSafeLoader)

    assert len(json.dumps(crd, separators=(",", ":"))) <= MOST_BYTES


def test_gang_has_the_status_and_the_columns_of_a_gangjob():
    own, jobs = (version_of(kind) for kind in ("gangs", "gangjobs"))

    assert status_of(own) == status_of(jobs)
    assert own["additionalPrinterColumns"] == jobs["additionalPrinterColumns"]


def status_of(version):
    return version["schema"]["openAPIV3Schema"]["properties"]["status"]


def test_nothing_keeps_a_gang_from_changing():
    assert "oldSelf" not in json.dumps(version_of("gangs"))
    assert "Immutable" not in json.dumps(version_of("gangs"))


def test_no_list_or_map_of_a_spec_holds_more_than_a_thousand_entries():
    of_specs = [field for field in FIELDS if field.path.startswith("spec.")]
    largest = {field.path: most for field in of_specs if (most := entries_of(field.schema)) is not None}

    assert len(largest) > 300
    assert [path for path, most in largest.items() if most > 1_000] == []


def entries_of(schema):
    return schema.get("maxItems", schema.get("maxProperties")) if "not" not in schema else None


def test_members_have_no_longer_grace_than_the_operator_gives_them():
    graces = [field.schema for field in FIELDS if field.name == "terminationGracePeriodSeconds"]

    assert {one["maximum"] for one in graces} == {MOST_GRACE_SECONDS}


def test_no_field_takes_just_anything():
    kinds = {field.kind for field in FIELDS}

    assert kinds == {*BOUNDS, "choice", "object", "boolean"}
    untyped = [field.schema for field in FIELDS if field.kind == "number-or-string"]
    assert [one for one in untyped if (one["maxItems"], one["maxProperties"], one["not"]) != NO_OTHER_KIND] == []


def test_every_field_is_described():
    described = [field for field in FIELDS if field.name and is_described(field.path)]

    assert len(described) > 200
    assert [field.path for field in described if len(field.schema.get("description", "")) < len("A sentence.")] == []


def test_description_of_ours_begins_with_the_fields_name():
    ours = [
        field
        for field in FIELDS
        if field.name and not field.path.startswith(OF_TEMPLATES) and OF_CLAIMS not in field.path
    ]

    wrong = [field.path for field in ours if not field.schema["description"].startswith(f"{field.name} ")]
    unfinished = [field.path for field in ours if not field.schema["description"].endswith(".")]

    assert len(ours) > 40
    assert (wrong, unfinished) == ([], [])


def test_immutable_fields_say_so():
    changeless = [
        field
        for field in FIELDS
        if any(rule["rule"] == "self == oldSelf" for rule in field.schema.get("x-kubernetes-validations", ()))
    ]

    fields = {"load", "pieces", "template", "volumeClaimTemplates"}
    of_roles = {f"spec.roles[].{field}" for field in {*fields, "startAfter", "pieceWeight"}}
    of_gangs = {f"spec.{field}" for field in {*fields, "dealing", "work", "network", "placement"}}
    assert {field.path for field in changeless} == {*of_gangs, *of_roles, "spec.finish"}
    assert [field.path for field in changeless if "Immutable." not in field.schema["description"]] == []


def is_described(path):
    inside = path.removeprefix("spec.template.")
    of_roles, of_claims = path.startswith(("spec.roles[].template.", *OF_TEMPLATES_OF_RUNS)), OF_CLAIMS in path
    return not (of_roles or of_claims) and (inside == path or inside.count(".") < DESCRIBED_LEVELS)


def test_every_rule_answers_with_a_sentence():
    rules = [rule for field in FIELDS for rule in field.schema.get("x-kubernetes-validations", ())]

    assert len(rules) > 10
    assert [rule["message"] for rule in rules if not (rule["message"].endswith(".") and rule["reason"])] == []
