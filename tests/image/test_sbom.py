"""The bill of materials lists what the image's Python gets, and who needs it."""

import json
from pathlib import Path

import pytest
from image.make.dockerfile import DOCKERFILE, read
from image.make.locks import markers_of
from image.make.locks import read as read_lock
from image.make.sbom import as_json, bill

ROOT = Path(__file__).parents[2]
MADE = 1_700_000_000


@pytest.fixture(scope="module")
def entries():
    python = read(DOCKERFILE.read_text(encoding="utf-8")).python
    lock = read_lock((ROOT / "image/locks/runtime.lock").read_text(encoding="utf-8"))
    return [one for one in lock if one.is_for(markers_of(python))]


@pytest.fixture(scope="module")
def document(entries):
    return json.loads(as_json(bill(entries, "1.2.3", MADE)))


def test_every_package_is_listed_once_with_its_version_and_hashes(document, entries):
    listed = {one["name"]: one for one in document["components"]}

    assert len(listed) == len(document["components"]) == len(entries)
    for entry in entries:
        component = listed[entry.name]
        [files] = component["externalReferences"]
        assert component["purl"] == f"pkg:pypi/{entry.name}@{entry.version}"
        assert {one["content"] for one in files["hashes"]} == set(entry.hashes)


def test_operator_is_what_the_bill_is_of(document):
    assert document["metadata"]["component"]["purl"] == "pkg:pypi/lockstep-operator@1.2.3"
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")


def test_every_package_is_needed_by_the_operator_or_by_another(document):
    needs = {one["ref"]: one.get("dependsOn", []) for one in document["dependencies"]}

    reached = set()
    left = ["pkg:pypi/lockstep-operator@1.2.3"]
    while left:
        reference = left.pop()
        if reference not in reached:
            reached.add(reference)
            left += needs[reference]
    assert reached == set(needs)
    assert len(reached) == len(document["components"]) + 1


def test_same_commit_gives_the_same_bill(entries):
    assert as_json(bill(entries, "1.2.3", MADE)) == as_json(bill(entries, "1.2.3", MADE))
