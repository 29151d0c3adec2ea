"""What rights manifests grant an account: one right for each verb on each resource."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

Manifest = Mapping[str, Any]

OPERATOR = Path(__file__).parents[2] / "operator"
_FILES = (
    "rbac",
    "rbac-metrics",
    "rbac-provisioning",
    "rbac-sources",
    "rbac-sweeps",
    "rbac-shares",
    "rbac-sizing",
    "rbac-suspending",
    "rbac-evicting",
    "rbac-answers",
)
SOURCES = tuple(OPERATOR / f"{name}.yaml" for name in _FILES)
NAMESPACE, NAME = "lockstep-system", "lockstep"


class Right(NamedTuple):
    """A verb on a resource, written ``group/resource``; everywhere, or in a namespace and on objects of these names."""

    verb: str
    resource: str
    namespace: str = ""
    names: tuple[str, ...] = ()


def operators_rights() -> list[Right]:
    """Everything that the operator's account may do by our manifests, also where it is asked to do more than usual."""
    return rights_of(*SOURCES)


def rights_of(*manifests: Path) -> list[Right]:
    """Everything that the operator's account may do by these manifests."""
    documents = [one for source in manifests for one in yaml.load_all(source.read_text(), Loader=yaml.CSafeLoader)]
    return list(_rights(documents))


def formatted(group: str, resource: str) -> str:
    """A resource of a group, as a person writes it."""
    return f"{group}/{resource}" if group else resource


def _rights(documents: Iterable[Manifest]) -> Iterator[Right]:
    every = list(documents)
    roles = {(one["kind"], one["metadata"]["name"]): one for one in every if one["kind"] in ("Role", "ClusterRole")}
    subject = {"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}
    for binding in every:
        if binding["kind"] in ("RoleBinding", "ClusterRoleBinding") and subject in binding["subjects"]:
            role = roles[binding["roleRef"]["kind"], binding["roleRef"]["name"]]
            for rule in role["rules"]:
                yield from _of_rule(rule, binding["metadata"].get("namespace", ""))


def _of_rule(rule: Manifest, namespace: str) -> Iterator[Right]:
    for group in rule["apiGroups"]:
        for resource in rule["resources"]:
            for verb in rule["verbs"]:
                yield Right(verb, formatted(group, resource), namespace, tuple(rule.get("resourceNames", ())))
