"""Kinds of other projects, as far as an API server has to know them: any object is valid, and no controller runs."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from eventually import eventually
from live.definitions import DEFINITIONS
from sandbox import Sandbox


class StubKind(NamedTuple):
    """A kind of owners of pods: its API version, as ``group/version``, its name and its plural.

    Its objects may be in no namespace, and their status may be a part of its own.
    """

    api_version: str
    kind: str
    plural: str
    scope: str = "Namespaced"
    has_status: bool = False


def install_kinds(api: Sandbox, kinds: Iterable[StubKind]) -> None:
    """Define these kinds, and return once their objects can be listed."""
    wanted = list(kinds)
    for kind in wanted:
        api.request("POST", DEFINITIONS, _definition(kind))
    eventually(lambda: _are_served(api, wanted))


def _are_served(api: Sandbox, kinds: Collection[StubKind]) -> bool:
    definitions = api.request("GET", DEFINITIONS)["items"]
    established = {one["spec"]["names"]["plural"] for one in definitions if _is_established(one)}
    return {kind.plural for kind in kinds} <= established


def _is_established(definition: Mapping[str, Any]) -> bool:
    # The API server says null for the conditions of a definition that it has not looked at yet.
    conditions = definition["status"]["conditions"] or ()
    return any((one["type"], one["status"]) == ("Established", "True") for one in conditions)


def _definition(kind: StubKind) -> dict[str, Any]:
    group, _, version = kind.api_version.partition("/")
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    served = {"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": anything}}
    if kind.has_status:
        served["subresources"] = {"status": {}}
    names = {"kind": kind.kind, "plural": kind.plural, "singular": kind.kind.lower()}
    spec = {"group": group, "scope": kind.scope, "names": names, "versions": [served]}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        # Some groups are Kubernetes' own, and definitions in them have to say that they were reviewed.
        "metadata": {
            "name": f"{kind.plural}.{group}",
            "annotations": {"api-approved.kubernetes.io": "unapproved, for tests"},
        },
        "spec": spec,
    }
