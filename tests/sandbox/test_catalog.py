import re

import pytest

from sandbox.binaries import Tool
from sandbox.binaries.catalog import pinned_version, recipe, releases, usual_release
from sandbox.errors import SandboxError


def published(found):
    """The version by which a project calls its release."""
    return found.version.replace("v0.3", "v3.") if found.project == "prometheus" else found.version


@pytest.mark.parametrize(
    ("tool", "release"),
    [
        *((tool, "") for tool in Tool),
        *((tool, release) for tool in (Tool.KUBE_APISERVER, Tool.KUBELET, Tool.KUBE_PROXY) for release in releases()),
    ],
)
def test_every_tool_is_pinned_by_a_module_that_is_locked(tool, release):
    found = recipe(tool, release)
    module = (found.module_folder / "go.mod").read_text()

    assert re.fullmatch(r"v\d+\.\d+\.\d+", found.version)
    assert re.search(rf"^(tool |module |\t){re.escape(found.package)}$", module, re.MULTILINE)
    assert found.version in (found.module_folder / "go.sum").read_text()
    assert found.download is None or published(found) in found.download.url


@pytest.mark.parametrize("release", ["", *releases()])
def test_kubernetes_libraries_are_of_the_release_that_is_built(release):
    found = recipe(Tool.KUBE_APISERVER, release)
    text = (found.module_folder / "go.mod").read_text()
    replaced = dict(re.findall(r"^\t(k8s\.io/\S+) => \1 (v\S+)$", text, re.MULTILINE))

    assert len(replaced) > 30
    assert set(replaced.values()) == {found.version.replace("v1.", "v0.")}


@pytest.mark.parametrize("release", ["1.35", "1.36", "1.37"])
def test_servers_and_kubelets_are_of_the_release_that_is_asked_for_and_nothing_else(release):
    assert release in releases()
    assert recipe(Tool.KUBE_SCHEDULER, release).version.startswith(f"v{release}.")
    assert recipe(Tool.KUBELET, release).version == recipe(Tool.KUBE_APISERVER, release).version
    assert recipe(Tool.KUBECTL, release) == recipe(Tool.KUBECTL)
    assert recipe(Tool.ETCD, release) == recipe(Tool.ETCD)


def test_usual_release_is_one_of_those_that_can_be_asked_for():
    assert usual_release() in releases()
    asked, usual = recipe(Tool.KUBE_APISERVER, usual_release()), recipe(Tool.KUBE_APISERVER)
    assert (asked.project, asked.version) == (usual.project, usual.version)
    assert (asked.exact, usual.exact) == (True, False)


def test_module_that_is_not_required_gets_a_sentence():
    with pytest.raises(SandboxError, match=r"kwok/go.mod requires no version of example.com/nothing"):
        pinned_version("kwok", "example.com/nothing")
