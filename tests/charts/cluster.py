"""A release on a real control plane, from its installation to the last of its objects."""

import json
from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path
from typing import Any

import yaml

from charts.helm import ROOT, load_all
from eventually import eventually
from live.definitions import DEFINITIONS
from sandbox import ApiError, Node, Sandbox

# Those of every release; others come by options, or by a test.
KINDS = ("gangjobs.lockstep.dev", "gangs.lockstep.dev", "nodebids.lockstep.dev")
_ALL_KINDS = tuple(f"{file.stem}.lockstep.dev" for file in sorted((ROOT / "crds").glob("*.yaml")))
PATIENCE = "--timeout=60s"
KEPT = ("helm.sh/resource-policy", "keep")

Manifest = dict[str, Any]


class Release:
    """One release of the chart in a namespace of its own, which admits only pods of the standard ``restricted``."""

    def __init__(self, api: Sandbox, chart: Path, namespace: str, name: str = "lockstep") -> None:
        self.api = api
        self.chart = chart
        self.namespace = namespace
        self.name = name
        api.create_namespace(namespace)
        labels = {"pod-security.kubernetes.io/enforce": "restricted"}
        api.request("PATCH", f"/api/v1/namespaces/{namespace}", {"metadata": {"labels": labels}})

    # What Helm does

    def install(self, values: Manifest | Path | None = None, *options: str) -> str:
        """Install, and return what Helm says once every pod is ready."""
        return self._apply("install", values, options)

    def upgrade(self, values: Manifest | Path | None = None, *options: str) -> str:
        """Upgrade to these values and no others, and return once every pod is ready."""
        return self._apply("upgrade", values, options)

    def rollback(self, revision: int) -> None:
        """Go back to a revision, and return once every pod is ready."""
        self._helm("rollback", self.name, str(revision), "--wait", PATIENCE)

    def test(self) -> str:
        """Run the release's test, and return what Helm says."""
        return self._helm("test", self.name, PATIENCE)

    def uninstall(self) -> str:
        """Uninstall, and return what Helm says once nothing is left but what is kept."""
        going = [one for one in self.manifests() if KEPT not in one["metadata"].get("annotations", {}).items()]
        said = self._helm("uninstall", self.name, PATIENCE)
        # Helm's own --wait has been seen to miss the end of a definition.

        def is_gone() -> bool:
            left = self.present(going)
            assert not left, f"{', '.join(left)} are still there"
            return True

        eventually(is_gone)
        return said

    def is_installed(self) -> bool:
        """Whether Helm knows the release."""
        return bool(json.loads(self._helm("list", "--output=json", f"--filter=^{self.name}$")))

    def manifests(self) -> list[Manifest]:
        """Every object that Helm says the release has, as it was rendered."""
        return [one for one in load_all(self._helm("get", "manifest", self.name)) if one]

    # What is there

    def present(self, manifests: Iterable[Manifest] | None = None) -> list[str]:
        """Those objects that are on the cluster: of the release, where no others are named."""
        wanted = self.manifests() if manifests is None else manifests
        # Only the names matter here, and our kinds' definitions are large.
        named = yaml.safe_dump_all({**one, "spec": {}} if "spec" in one else one for one in wanted)
        return self.api.kubectl("get", "--ignore-not-found", "--output=name", "--filename=-", stdin=named).split()

    def read(self, path: str) -> Manifest:
        """An object of the namespace, by its path behind the namespace's: `apps/v1/deployments/lockstep`."""
        group, version, rest = ("", *path.split("/", 1)) if path.startswith("v1/") else path.split("/", 2)
        root = f"/apis/{group}/{version}" if group else f"/api/{version}"
        return self.api.request("GET", f"{root}/namespaces/{self.namespace}/{rest}")

    def operators(self) -> list[Manifest]:
        """The operator's pods that are not being deleted."""
        selector = f"app.kubernetes.io%2Finstance%3D{self.name}%2Capp.kubernetes.io%2Fcomponent%3Doperator"
        pods = self.read(f"v1/pods?labelSelector={selector}")["items"]
        return [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]

    def close(self) -> None:
        """Leave nothing behind: neither release nor kinds nor namespace."""
        if self.is_installed():
            self.uninstall()
        delete_kinds(self.api, _ALL_KINDS)
        self.api.request("DELETE", f"/api/v1/namespaces/{self.namespace}")

    def _apply(self, verb: str, values: Manifest | Path | None, options: Iterable[str]) -> str:
        given = values.read_text() if isinstance(values, Path) else yaml.safe_dump(values or {})
        return self._helm(verb, self.name, str(self.chart), "--values=-", "--wait", PATIENCE, *options, stdin=given)

    def _helm(self, *arguments: str, stdin: str = "") -> str:
        return self.api.helm(*arguments, f"--namespace={self.namespace}", stdin=stdin)


def at(release: Release, name: str) -> Manifest:
    """The metadata of an object beside the release."""
    return {"name": name, "namespace": release.namespace}


def nodes_of_zones(*zones: str) -> list[Node]:
    """One node for each zone."""
    return [Node(name=f"node-{zone}", labels={"topology.kubernetes.io/zone": zone}) for zone in zones]


def define(api: Sandbox, *kinds: str) -> tuple[str, ...]:
    """Define kinds of the Prometheus operator, which take any spec, and return the names of their definitions."""
    api.apply(_definition(kind) for kind in kinds)
    names = tuple(f"{kind.lower()}s.monitoring.coreos.com" for kind in kinds)
    for name in names:
        eventually(lambda name=name: _is_established(api, name))
    return names


def delete_kinds(api: Sandbox, names: Iterable[str]) -> None:
    """Delete definitions with all objects of theirs, and return once they are gone."""
    for name in names:
        if _exists(api, name):
            api.request("DELETE", f"{DEFINITIONS}/{name}")
    for name in names:
        eventually(lambda name=name: not _exists(api, name))


def _is_established(api: Sandbox, name: str) -> bool:
    # At first there is no status, and then one whose conditions are null.
    conditions = api.request("GET", f"{DEFINITIONS}/{name}").get("status", {}).get("conditions")
    return any((one["type"], one["status"]) == ("Established", "True") for one in conditions or ())


def _exists(api: Sandbox, name: str) -> bool:
    try:
        api.request("GET", f"{DEFINITIONS}/{name}")
    except ApiError as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return False
        raise
    return True


def _definition(kind: str) -> Manifest:
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.lower()}s.monitoring.coreos.com"},
        "spec": {
            "group": "monitoring.coreos.com",
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": f"{kind.lower()}s"},
            "versions": [version | {"schema": {"openAPIV3Schema": anything}}],
        },
    }
