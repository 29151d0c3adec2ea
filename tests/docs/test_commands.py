"""Every command of the README and of the install guide is typed in by a test, or says why it can't be."""

import pytest
import yaml

from docs.markdown import ROOT, fences, first_cells, name_of

README = ROOT / "README.md"
GUIDE = ROOT / "docs" / "install.md"
# What a block's mark says. Few are meant to be: each takes its commands from the tests.
MARKS = {
    "": "a test types it in: tests/followed",
    "stays": "so too, and its last command goes on until Ctrl-C",
    "kind": "needs kind and Docker",
    "docker": "needs Docker, and a registry",
    "pods": "needs nodes that really run pods",
}
FOLLOWED = ("", "stays")
WANT_NOT_FOLLOWED = [
    ("README.md", "kind", ["make kind-up", "helm install"]),
    ("docs/install.md", "docker", ["make image", "skopeo copy"]),
    ("docs/install.md", "pods", ["kubectl --namespace"]),
]


def commands(page):
    return [fence for fence in fences(page) if fence.language == "sh"]


@pytest.mark.parametrize("page", [README, GUIDE], ids=name_of)
def test_every_mark_is_known(page):
    assert {fence.mark for fence in commands(page)} <= set(MARKS)


def test_what_no_test_types_in_is_listed():
    found = [
        (name_of(page), fence.mark, [" ".join(line.split()[:2]) for line in fence.text.splitlines()])
        for page in (README, GUIDE)
        for fence in commands(page)
        if fence.mark not in FOLLOWED
    ]

    assert found == WANT_NOT_FOLLOWED


def test_every_other_block_of_the_readme_is_typed_in():
    # The two commands are a test of their own and this one; a cluster's are those of the guide.
    sections = ("## Two commands", "### In a sandbox", "### On your cluster")
    typed_in = [fence for section in sections for fence in fences(README, section) if fence.language == "sh"]

    assert [fence for fence in commands(README) if fence.mark in FOLLOWED] == typed_in
    assert [fence.text.split()[:2] for fence in fences(README, "## Two commands")] == [["make", "demo"]]


def test_readme_installs_as_the_guide_does():
    [readme] = fences(README, "### On your cluster")
    [guide] = fences(GUIDE, "## Install the chart")[:1]

    assert [line.partition(" #")[0].rstrip() for line in readme.text.splitlines()] == guide.text.splitlines()


def test_every_value_worth_knowing_is_one_of_the_charts():
    values = {cell.partition(".")[0] for cell in first_cells(GUIDE, "## Values worth knowing")}

    assert values <= set(yaml.safe_load((ROOT / "charts" / "lockstep" / "values.yaml").read_text()))
