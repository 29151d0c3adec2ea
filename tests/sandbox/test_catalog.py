import re

import pytest

from sandbox.binaries import Tool
from sandbox.binaries.catalog import other_releases, pinned_version, recipe
from sandbox.errors import SandboxError


def published(found):
    """The version by which a project calls its release."""
    return found.version.replace("v0.3", "v3.") if found.project == "prometheus" else found.version


@pytest.mark.parametrize(
    ("tool", "release"),
    [*((tool, "") for tool in Tool), *((Tool.KUBE_APISERVER, release) for release in sorted(other_releases()))],
)
def test_every_tool_is_pinned_by_a_module_that_is_locked(tool, release):
    found = recipe(tool, release)
    module = (found.module_folder / "go.mod").read_text()

    assert re.fullmatch(r"v\d+\.\d+\.\d+", found.version)
    assert re.search(rf"^(tool |module |\t){re.escape(found.package)}$", module, re.MULTILINE)
    assert found.version in (found.module_folder / "go.sum").read_text()
    assert found.download is None or published(found) in found.download.url


@pytest.mark.parametrize("release", ["", *sorted(other_releases())])
def test_kubernetes_libraries_are_of_the_release_that_is_built(release):
    found = recipe(Tool.KUBE_APISERVER, release)
    text = (found.module_folder / "go.mod").read_text()
    replaced = dict(re.findall(r"^\t(k8s\.io/\S+) => \1 (v\S+)$", text, re.MULTILINE))

    assert len(replaced) > 30
    assert set(replaced.values()) == {found.version.replace("v1.", "v0.")}


def test_only_servers_are_of_another_release():
    assert other_releases() == {"1.37"}
    assert recipe(Tool.KUBE_SCHEDULER, "1.37").version.startswith("v1.37.")
    assert recipe(Tool.KUBECTL, "1.37") == recipe(Tool.KUBECTL)
    assert recipe(Tool.ETCD, "1.37") == recipe(Tool.ETCD)


def test_module_that_is_not_required_gets_a_sentence():
    with pytest.raises(SandboxError, match=r"kwok/go.mod requires no version of example.com/nothing"):
        pinned_version("kwok", "example.com/nothing")
