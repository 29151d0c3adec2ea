"""The version of each program, and what a build or a download of it needs.

Only the go.mod files under ``sandbox/modules`` state versions.
"""

import platform
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from sandbox.binaries.download import Download, digest_in_github_release, digest_in_text
from sandbox.binaries.tools import OF_ONE_RELEASE, Tool
from sandbox.errors import SandboxError

MODULES = Path(__file__).resolve().parents[2] / "modules"

_KUBERNETES = "k8s.io/kubernetes"
_USUAL = "kubernetes"
_OTHER_RELEASE = f"{_USUAL}-"
KUBERNETES_VERSION_SYMBOLS = "k8s.io/component-base/version"
KWOK_VERSION_SYMBOL = "sigs.k8s.io/kwok/pkg/consts.Version"
HELM_VERSION_SYMBOL = "helm.sh/helm/v4/internal/version.version"
PROMETHEUS_VERSION_SYMBOL = "github.com/prometheus/common/version.Version"

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


class ModuleOf(NamedTuple):
    """The Go source of another project's controller.

    ``project`` is the folder of our wrapper module, ``module`` is the controller's module, and ``package`` is the
    package in it.
    """

    project: str
    module: str
    package: str

    @property
    def version(self) -> str:
        """The pinned version of the module."""
        return pinned_version(self.project, self.module)


# Controllers that create pods or hold them back. No sandbox needs them: they are for tests that place these pods.
CONTROLLERS: Mapping[Tool, ModuleOf] = {
    Tool.JOBSET: ModuleOf("jobset", "sigs.k8s.io/jobset", ""),
    Tool.MPI_OPERATOR: ModuleOf("mpi-operator", "github.com/kubeflow/mpi-operator", "/cmd/mpi-operator"),
    Tool.LEADER_WORKER_SET: ModuleOf("lws", "sigs.k8s.io/lws", "/cmd"),
    Tool.RAY_OPERATOR: ModuleOf("kuberay", "github.com/ray-project/kuberay/ray-operator", ""),
    Tool.TRAINER: ModuleOf("trainer", "github.com/kubeflow/trainer/v2", "/cmd/trainer-controller-manager"),
    Tool.TRAINING_OPERATOR: ModuleOf(
        "training-operator", "github.com/kubeflow/training-operator", "/cmd/training-operator.v1"
    ),
    Tool.KUEUE: ModuleOf("kueue", "sigs.k8s.io/kueue", "/cmd/kueue"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How one program is built: its wrapper module, the Go package, the linker's flags and build tags.

    ``download`` is None if the program is not published by itself. If the recipe is ``exact``, programs that are
    installed on the machine are not used, because their versions are not checked.
    """

    tool: Tool
    project: str
    version: str
    package: str
    linker_flags: str
    build_hint: str
    download: Download | None
    tags: str = ""
    exact: bool = False

    @property
    def module_folder(self) -> Path:
        """The folder whose go.mod and go.sum pin everything that goes into the program."""
        return MODULES / self.project


def usual_release() -> str:
    """The release of Kubernetes that is started by default, such as ``1.36``."""
    major, minor, _ = pinned_version(_USUAL, _KUBERNETES).removeprefix("v").split(".")
    return f"{major}.{minor}"


def releases() -> tuple[str, ...]:
    """The releases of Kubernetes that a sandbox can run, the oldest first. They differ only in their minor version."""
    others = (folder.name.removeprefix(_OTHER_RELEASE) for folder in MODULES.glob(f"{_OTHER_RELEASE}*"))
    return tuple(sorted({usual_release(), *others}))


def recipe(tool: Tool, release: str = "") -> Recipe:
    """Return the recipe of ``tool`` for this machine's architecture.

    Programs of Kubernetes, except kubectl, have the version of ``release``, which is one of ``releases``. If
    ``release`` is empty, they have the usual release.
    """
    if tool in CONTROLLERS:
        return _controller(tool, CONTROLLERS[tool])
    special = _OF_ITS_OWN_PROJECT.get(tool)
    return special() if special else _kubernetes(tool, release if tool in OF_ONE_RELEASE else "")


def _kubernetes(tool: Tool, release: str) -> Recipe:
    project = _USUAL if release in {"", usual_release()} else f"{_OTHER_RELEASE}{release}"
    version = pinned_version(project, _KUBERNETES)
    major, minor, _ = version.removeprefix("v").split(".")
    stamps = {"gitVersion": version, "gitMajor": major, "gitMinor": minor, "gitTreeState": "clean"}
    url = f"https://dl.k8s.io/release/{version}/bin/linux/{_architecture()}/{tool}"
    return Recipe(
        tool=tool,
        project=project,
        version=version,
        package=f"k8s.io/kubernetes/cmd/{tool}",
        linker_flags=" ".join(f"-X {KUBERNETES_VERSION_SYMBOLS}.{name}={value}" for name, value in stamps.items()),
        build_hint="6 minutes" if tool is Tool.KUBE_APISERVER else "a minute",
        download=Download(url=url, digest_url=f"{url}.sha256", read_digest=digest_in_text),
        exact=bool(release),
    )


def _etcd() -> Recipe:
    version = pinned_version("etcd", "go.etcd.io/etcd/server/v3")
    archive = f"etcd-{version}-linux-{_architecture()}"
    return Recipe(
        tool=Tool.ETCD,
        project="etcd",
        version=version,
        package="go.etcd.io/etcd/server/v3",
        linker_flags="",
        build_hint="a minute",
        download=_github("etcd-io/etcd", version, f"{archive}.tar.gz", member=f"{archive}/etcd"),
    )


def _kwok() -> Recipe:
    version = pinned_version("kwok", "sigs.k8s.io/kwok")
    return Recipe(
        tool=Tool.KWOK,
        project="kwok",
        version=version,
        package="sigs.k8s.io/kwok/cmd/kwok",
        linker_flags=f"-X {KWOK_VERSION_SYMBOL}={version}",
        build_hint="2 minutes",
        download=_github("kubernetes-sigs/kwok", version, f"kwok-linux-{_architecture()}"),
    )


def _helm() -> Recipe:
    version = pinned_version("helm", "helm.sh/helm/v4")
    architecture = _architecture()
    url = f"https://get.helm.sh/helm-{version}-linux-{architecture}.tar.gz"
    return Recipe(
        tool=Tool.HELM,
        project="helm",
        version=version,
        package="helm.sh/helm/v4/cmd/helm",
        linker_flags=f"-X {HELM_VERSION_SYMBOL}={version}",
        build_hint="2 minutes",
        download=Download(
            url=url, digest_url=f"{url}.sha256sum", read_digest=digest_in_text, member=f"linux-{architecture}/helm"
        ),
    )


def _prometheus(tool: Tool) -> Recipe:
    module = "github.com/prometheus/prometheus"
    version = pinned_version("prometheus", module)
    release = _prometheus_release(version)
    archive = f"prometheus-{release}.linux-{_architecture()}"
    return Recipe(
        tool=tool,
        project="prometheus",
        version=version,
        package=f"{module}/cmd/{tool}",
        linker_flags=f"-X {PROMETHEUS_VERSION_SYMBOL}={release}",
        build_hint="a minute",
        download=_github("prometheus/prometheus", f"v{release}", f"{archive}.tar.gz", member=f"{archive}/{tool}"),
        # Tests name the targets of Prometheus. So the code that finds targets in clouds is left out; it is half of all
        # code to compile.
        tags="remove_all_sd",
    )


def _prometheus_release(version: str) -> str:
    """Return the release of Prometheus that belongs to a version of its Go module: 3.15.1 for v0.315.1.

    The second number of the module's version is 100 times the major version, plus the minor version.
    """
    _, joined, patch = version.split(".")
    return f"{int(joined) // 100}.{int(joined) % 100}.{patch}"


def _kind() -> Recipe:
    version = pinned_version("kind", "sigs.k8s.io/kind")
    return Recipe(
        tool=Tool.KIND,
        project="kind",
        version=version,
        package="sigs.k8s.io/kind",
        linker_flags="",
        build_hint="a minute",
        download=_github("kubernetes-sigs/kind", version, f"kind-linux-{_architecture()}"),
    )


def _coredns() -> Recipe:
    version = pinned_version("coredns", "github.com/coredns/coredns")
    asset = f"coredns_{version.removeprefix('v')}_linux_{_architecture()}.tgz"
    return Recipe(
        tool=Tool.COREDNS,
        project="coredns",
        version=version,
        package="sandbox.lockstep.dev/coredns",
        linker_flags="",
        build_hint="a minute",
        download=_github("coredns/coredns", version, asset, member="coredns"),
    )


def _local_path_provisioner() -> Recipe:
    version = pinned_version("local-path-provisioner", "github.com/rancher/local-path-provisioner")
    return Recipe(
        tool=Tool.LOCAL_PATH_PROVISIONER,
        project="local-path-provisioner",
        version=version,
        package="github.com/rancher/local-path-provisioner",
        linker_flags=f"-X main.VERSION={version}",
        build_hint="a minute",
        download=None,
    )


def _controller(tool: Tool, of: ModuleOf) -> Recipe:
    return Recipe(
        tool=tool,
        project=of.project,
        version=of.version,
        package=f"{of.module}{of.package}",
        linker_flags="",
        build_hint="3 minutes",
        download=None,
    )


_OF_ITS_OWN_PROJECT: Mapping[Tool, Callable[[], Recipe]] = {
    Tool.ETCD: _etcd,
    Tool.KWOK: _kwok,
    Tool.HELM: _helm,
    Tool.KIND: _kind,
    Tool.PROMETHEUS: partial(_prometheus, Tool.PROMETHEUS),
    Tool.PROMTOOL: partial(_prometheus, Tool.PROMTOOL),
    Tool.COREDNS: _coredns,
    Tool.LOCAL_PATH_PROVISIONER: _local_path_provisioner,
}


def _github(repository: str, version: str, asset: str, member: str | None = None) -> Download:
    return Download(
        url=f"https://github.com/{repository}/releases/download/{version}/{asset}",
        digest_url=f"https://api.github.com/repos/{repository}/releases/tags/{version}",
        read_digest=digest_in_github_release,
        member=member,
    )


@cache
def pinned_version(project: str, module: str) -> str:
    """Return the version of ``module`` that the wrapper module ``project`` requires."""
    text = (MODULES / project / "go.mod").read_text(encoding="utf-8")
    found = re.search(rf"^(?:require)?\s+{re.escape(module)} (v\S+)", text, re.MULTILINE)
    if found is None:
        raise SandboxError(f"{MODULES / project / 'go.mod'} requires no version of {module}.")
    return found.group(1)


def _architecture() -> str:
    machine = platform.machine()
    return ARCHITECTURES.get(machine, machine)
