"""Every manifest of ours in the documentation has the shape that its CRD asks for."""

import copy
from functools import cache
from typing import Any

import pytest
import yaml

from docs.markdown import PAGES, ROOT, fences, name_of
from docs.schema import faults

QUICK_START = ROOT / "docs" / "quick-start.md"


@cache
def schema_of(kind: str) -> dict[str, Any]:
    document = yaml.load((ROOT / "crds" / f"{kind.lower()}s.yaml").read_text(), Loader=yaml.CSafeLoader)
    [version] = document["spec"]["versions"]
    schema = version["schema"]["openAPIV3Schema"]
    # The API server checks these by itself; a CRD can only narrow the name down.
    schema["properties"]["metadata"] = {"type": "object"}
    return schema


def manifests(page) -> list[dict[str, Any]]:
    texts = [fence.text for fence in fences(page) if fence.language == "yaml"]
    documents = [one for text in texts for one in yaml.load_all(text, Loader=yaml.CSafeLoader)]
    return [one for one in documents if one["apiVersion"].startswith("lockstep.dev/")]


MANIFESTS = [
    pytest.param(one, id=f"{name_of(page)}: {one['metadata']['name']}") for page in PAGES for one in manifests(page)
]


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_manifest_has_the_shape_of_its_kind(manifest):
    assert list(faults(manifest, schema_of(manifest["kind"]))) == []


def test_quick_start_shows_a_gang_and_a_bid():
    assert {one["kind"] for one in manifests(QUICK_START)} == {"GangJob", "NodeBid"}


@pytest.mark.parametrize(
    ("change", "want_fault"),
    [
        pytest.param(lambda spec: spec.update(sizes=1), ".spec.sizes is unknown", id="a field that is not there"),
        pytest.param(
            lambda spec: spec["template"].pop("spec"), ".spec.template.spec is missing", id="a field that is missing"
        ),
        pytest.param(
            lambda spec: spec["size"].update(min="2"), ".spec.size.min is not of type integer", id="another type"
        ),
        pytest.param(lambda spec: spec["size"].update(max=0), ".spec.size.max is out of its bounds", id="too small"),
        pytest.param(
            lambda spec: spec["template"]["spec"]["containers"][0].update(comand=[]),
            ".spec.template.spec.containers[0].comand is unknown",
            id="a typo inside the template",
        ),
    ],
)
def test_check_finds(change, want_fault):
    gang = copy.deepcopy(next(one for one in manifests(QUICK_START) if one["kind"] == "GangJob"))
    change(gang["spec"])

    assert list(faults(gang, schema_of("GangJob"))) == [want_fault]
