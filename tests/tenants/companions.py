"""What has to stand beside a field, so that the API server takes it and the operator makes something of it.

Most fields need what their schema requires. These tables have the rest: what rules in the schema ask for, and what an
entry of a list must say to mean anything at all.
"""

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from tenants.identity import once_for_each
from tenants.scalars import short_scalar

Schema = Mapping[str, Any]
Beside = Callable[[int], Mapping[str, Any]]

HOST = "host"
"""The label by which every node of the priced cluster has a domain of its own."""
MOST_MEMBERS = 10_000
CLASS = "disk"
"""The storage class that the priced cluster has."""


def _expression(number: int) -> Mapping[str, Any]:
    return {"key": f"k{number}", "operator": "NotIn", "values": [f"v{number}"]}


def _pod_term(number: int) -> Mapping[str, Any]:
    return {"topologyKey": HOST, "labelSelector": {"matchLabels": {"app": f"k{number}"}}}


def _preferred(number: int) -> Mapping[str, Any]:
    return {"weight": 1, "podAffinityTerm": _pod_term(number)}


def _node_term(number: int) -> Mapping[str, Any]:
    return {"matchExpressions": [_expression(number)]}


def _container(number: int) -> Mapping[str, Any]:
    return {"name": f"k{number}", "image": "x", "resources": {"requests": {"cpu": "10m"}}}


def _port(number: int) -> Mapping[str, Any]:
    protocol = ("TCP", "UDP", "SCTP")[number // 65_535 % 3]
    return {"containerPort": 1 + number % 65_535, "hostPort": 1 + number % 65_535, "protocol": protocol}


def _wish(_: int) -> Mapping[str, Any]:
    storage = {"requests": {"storage": "1Gi"}}
    return {"storageClassName": CLASS, "accessModes": ["ReadWriteOnce"], "resources": storage}


def _template(_: int) -> Mapping[str, Any]:
    return {"spec": {"containers": [_container(0)]}}


def _role(number: int) -> Mapping[str, Any]:
    return {"name": f"k{number}", "size": {"min": 1, "max": 1}, "template": _template(number)}


_BASE: Mapping[str, Any] = {
    "size": {"min": 1, "max": MOST_MEMBERS},
    "work": {"serialTime": "10m"},
    "template": _template(0),
}
_WORK = {"work": _BASE["work"]}
_DEALT = {**_BASE, "load": "Pieces", "pieces": 100_000}

# By the end of the path of what holds them.
_OF_HOLDERS: Mapping[str, Beside] = {
    "matchExpressions[]": _expression,
    "scopeSelector.matchExpressions[]": lambda number: {
        "scopeName": "PriorityClass",
        "operator": "NotIn",
        "values": [f"v{number}"],
    },
    "matchFields[]": lambda number: {"key": "metadata.name", "operator": "NotIn", "values": [f"k{number}"]},
    "Affinity.requiredDuringSchedulingIgnoredDuringExecution[]": _pod_term,
    "podAffinityTerm": _pod_term,
    "podAffinity.preferredDuringSchedulingIgnoredDuringExecution[]": _preferred,
    "podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[]": _preferred,
    "nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[]": lambda number: {
        "weight": 1,
        "preference": _node_term(number),
    },
    "nodeSelectorTerms[]": _node_term,
    "topologySpreadConstraints[]": lambda number: {
        "maxSkew": 1,
        "topologyKey": f"k{number}",
        "whenUnsatisfiable": "ScheduleAnyway",
    },
    "ontainers[]": _container,
    "ports[]": _port,
    "tolerations[]": lambda number: {"key": f"k{number}", "operator": "Exists"},
    "failurePolicy.rules[]": lambda _: {"action": "Ignore", "onExitCodes": {"operator": "NotIn", "values": [1]}},
    "volumeClaimTemplates[]": lambda number: {"metadata": {"name": f"k{number}"}, "spec": _wish(number)},
    "volumeClaimTemplates[].spec": _wish,
    "volumeClaimTemplate.spec": _wish,
    "ephemeral.volumeClaimTemplate": lambda number: {"spec": _wish(number)},
    "spec.roles[]": _role,
    "spec.template": _template,
    "spec.template.spec": lambda number: _template(number)["spec"],
    "spec": lambda _: _BASE,
}

# By the path of the field itself: rules of the schema tie it to others, or keep it from them.
_OF_FIELDS: Mapping[str, Beside] = {
    "spec.size.allowed": lambda _: {},
    "spec.size.min": lambda _: {"max": MOST_MEMBERS},
    "spec.size.max": lambda _: {"min": 1},
    "spec.size.multipleOf": lambda _: _BASE["size"],
    "spec.work.overhead": lambda _: _BASE["work"],
    "spec.work.learn": lambda _: _BASE["work"],
    "spec.pieces": lambda _: {**_BASE, "load": "Pieces"},
    "spec.dealing": lambda _: _DEALT,
    "spec.maxFailedPieces": lambda _: {**_DEALT, "dealing": "WhileRunning"},
    "spec.checkpointInterval": lambda _: {**_BASE, "interruptible": "Checkpointed"},
    "spec.network.launcher": lambda _: {"rendezvous": "MPI"},
    "spec.network.port": lambda _: {"rendezvous": "Torch"},
    "spec.roles": lambda _: _WORK,
    "spec.failurePolicy.rules[].onPodConditions": lambda _: {"action": "Ignore"},
    "spec.failurePolicy.rules[].roles": lambda _: {"action": "Ignore", "onPodConditions": [{"type": "Lost"}]},
    "spec.template.spec.tolerations[].value": lambda number: {"key": f"k{number}"},
    "spec.template.spec.tolerations[].operator": lambda number: {"key": f"k{number}"},
    "spec.template.spec.tolerations[].tolerationSeconds": lambda number: {
        "key": f"k{number}",
        "operator": "Exists",
        "effect": "NoExecute",
    },
    "spec.forecast[].from": lambda _: {},
}

# What a spec needs for a field that is deeper in it, in the place of a size and a template of its own.
_ROLES_FOR: Mapping[str, int] = {"spec.failurePolicy.rules[].roles": 8}


def with_roles(path: str, spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """The spec of a GangJob, with the roles that its field of that path names, if it names any."""
    count = next((count for field, count in _ROLES_FOR.items() if path.startswith(field)), 0)
    if not count:
        return spec
    kept = {name: value for name, value in spec.items() if name not in ("size", "template")}
    return {**kept, "roles": [_role(number) for number in range(count)]}


def with_size_for_roles(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """The spec of a Gang that needs as many pods as its roles do, and roles that need no more than a Gang may have."""
    if not spec.get("roles"):
        return spec
    most = MOST_MEMBERS // len(spec["roles"])
    roles = [_at_most(role, most) for role in spec["roles"]]
    fewest = sum(role["size"]["min"] for role in roles)
    return {**spec, "size": {"min": max(fewest, spec.get("size", {}).get("min", 1))}, "roles": roles}


def _at_most(role: Mapping[str, Any], most: int) -> Mapping[str, Any]:
    least = min(role["size"]["min"], most)
    return {**role, "size": {"min": least, "max": max(least, role["size"].get("max", least))}}


def siblings_of(path: str, holder: Schema) -> Beside:
    """Makes what stands beside the field of that path in what holds it; a number distinguishes entries of lists."""
    return _siblings_of(path)(holder)


def least(path: str, schema: Schema, number: int) -> Any:
    """The smallest value of that path that means something."""
    return least_of(path, schema)(number)


def least_of(path: str, schema: Schema) -> Callable[[int], Any]:
    """Makes the smallest value of that path for each number."""
    return _least_of(path)(schema)


@cache
def _siblings_of(path: str) -> Callable[[Schema], Beside]:
    return once_for_each(partial(_make_siblings, path))


def _make_siblings(path: str, holder: Schema) -> Beside:
    if path in _OF_FIELDS:
        return _OF_FIELDS[path]
    of = path.rpartition(".")[0]
    if of == "spec" and "template" not in holder["properties"]:
        beside = {name: _BASE[name] for name in ("size", "work") if name in holder["properties"]}
        return lambda _: beside
    return _least_of(of)(holder)


@cache
def _least_of(path: str) -> Callable[[Schema], Callable[[int], Any]]:
    return once_for_each(partial(_make_least, path))


def _make_least(path: str, schema: Schema) -> Callable[[int], Any]:
    beside = _of_holder(path)
    if beside is not None:
        return _those_known(schema, beside)
    if "properties" in schema:
        required = {name: schema["properties"][name] for name in schema.get("required", ())}
        makers = {name: _least_of(f"{path}.{name}")(one) for name, one in required.items()}
        return lambda number: {name: make(number) for name, make in makers.items()}
    if "items" in schema:
        entry = _least_of(f"{path}[]")(schema["items"])
        return (lambda number: [entry(number)]) if schema.get("minItems") else lambda _: []
    return (lambda _: {}) if "additionalProperties" in schema else short_scalar(schema)


def _those_known(schema: Schema, beside: Beside) -> Beside:
    if "properties" not in schema:
        return beside
    known = schema["properties"]
    return lambda number: {name: value for name, value in beside(number).items() if name in known}


@cache
def _of_holder(path: str) -> Beside | None:
    ends = [end for end in _OF_HOLDERS if path.endswith(end) and (end != "spec" or path == "spec")]
    return _OF_HOLDERS[max(ends, key=len)] if ends else None
