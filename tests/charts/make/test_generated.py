"""What the chart has from elsewhere is as its source has it."""

import json
import subprocess
import sys

import pytest
import yaml

from charts.helm import CHART, ROOT, VALUES_FILES
from docs.markdown import anchors, links

MARK = "# -- "


def make(*options, cwd=ROOT):
    return subprocess.run(
        [sys.executable, "-m", "charts.make", *options], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_generated_files_are_up_to_date():
    done = make("--check")

    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def clone(tmp_path):
    """The sources of the chart, to be changed."""
    for folder in ("charts/make", "crds", "examples", "operator"):
        (tmp_path / folder).mkdir(parents=True)
    for pattern in ("charts/make/*.*", "crds/*.yaml", "examples/0[12]*.yaml", "operator/*.yaml"):
        for file in ROOT.glob(pattern):
            (tmp_path / file.relative_to(ROOT)).write_text(file.read_text())
    # To read a megabyte takes most of the time, and one kind shows what becomes of all.
    small = (tmp_path / "crds" / "nodebids.yaml").read_text()
    for kind in ("gangjobs", "gangsweeps"):
        (tmp_path / "crds" / f"{kind}.yaml").write_text(small.replace("nodebids", kind))
    (tmp_path / "charts" / "lockstep" / "templates").mkdir(parents=True)
    (tmp_path / "charts" / "lockstep" / "values.yaml").write_text((CHART / "values.yaml").read_text())
    return tmp_path


def test_right_that_is_added_reaches_the_chart(clone):
    assert make(cwd=clone).returncode == 0
    rbac = clone / "operator" / "rbac.yaml"
    rbac.write_text(rbac.read_text().replace("resources: [pods/binding]", "resources: [pods/binding, pods/eviction]"))

    done = make("--check", cwd=clone)

    want = "charts/lockstep/templates/rbac/clusterrole.yaml"
    assert done.stderr == f"Error: Not as `make generate` would write it: {want}.\n"


def test_braces_in_a_description_stay_what_they_are(clone):
    crd = clone / "crds" / "nodebids.yaml"
    crd.write_text(crd.read_text().replace("in which this object", "in {{ .Values }} which this object"))

    assert make(cwd=clone).returncode == 0

    template = (clone / "charts/lockstep/templates/crds/nodebids.yaml").read_text()
    assert 'API in {{ "{{" }} .Values }} which this object is written.' in template


@pytest.mark.parametrize(
    ("file", "more", "want"),
    [
        pytest.param("charts/lockstep/values.yaml", "new: 1\n", "new has no comment", id="a value without a comment"),
        pytest.param(
            "charts/lockstep/values.yaml",
            f"{MARK}A number.\nnew: 1\n",
            "schema.yaml has to say what new may be",
            id="a value of unknown type",
        ),
        pytest.param(
            "charts/make/schema.yaml", "  gone: {type: string}\n", "does not have: gone", id="a type without a value"
        ),
        pytest.param(
            "operator/rbac.yaml",
            "---\napiVersion: v1\nkind: Role\nmetadata: {name: lockstep-new}\n",
            "Role/lockstep-new",
            id="a role without a condition",
        ),
    ],
)
def test_what_is_not_whole_is_refused(clone, file, more, want):
    with (clone / file).open("a") as source:
        source.write(more)

    done = make(cwd=clone)

    assert done.returncode == 1
    assert want in done.stderr.splitlines()[-1]


def test_schema_has_the_values_and_nothing_else():
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    schema = json.loads((CHART / "values.schema.json").read_text())
    schema["properties"].pop("global")

    assert list(differences(values, schema, "")) == []


def test_every_value_is_set_by_a_values_file():
    files = [yaml.safe_load(file.read_text()) for file in VALUES_FILES]
    names = leaf_names(json.loads((CHART / "values.schema.json").read_text()))

    # No namespace but the release's is known to be there.
    assert [name for name in names if not any(is_set(name, file) for file in files)] == ["namespaceOverride"]


def test_readme_documents_every_value():
    text = (CHART / "README.md").read_text()

    assert [
        name for name in leaf_names(json.loads((CHART / "values.schema.json").read_text())) if f"`{name}`" not in text
    ] == []


def test_every_link_of_the_readme_leads_somewhere():
    page = CHART / "README.md"

    for target in links(page):
        path, _, fragment = target.partition("#")
        destination = (page.parent / path).resolve()
        assert destination.exists(), target
        assert not fragment or fragment in anchors(destination), target


def differences(values, schema, where):
    """Where values and schema do not have the same keys, or a default is not of the type."""
    if "properties" not in schema or not values or "description" in schema:
        return
    assert schema["additionalProperties"] is False
    yield from (f"{where}.{key}" for key in values.keys() ^ schema["properties"].keys())
    for key in values.keys() & schema["properties"].keys():
        yield from differences(values[key], schema["properties"][key], f"{where}.{key}")


def is_set(name, values):
    for key in name.split("."):
        if key not in values:
            return False
        values = values[key]
    return True


def leaf_names(schema, where=""):
    for key, inner in schema["properties"].items():
        if "description" not in inner:
            yield from leaf_names(inner, f"{where}{key}.")
        elif key != "global":
            yield f"{where}{key}"
