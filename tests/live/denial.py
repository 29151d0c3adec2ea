"""Real ValidatingAdmissionPolicies, which deny requests of everybody in the namespace of an arena."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from eventually import eventually
from live.arena import Arena
from sandbox import ApiError

_ADMISSION = "/apis/admissionregistration.k8s.io/v1"
_POLICIES = f"{_ADMISSION}/validatingadmissionpolicies"
_BINDINGS = f"{_ADMISSION}/validatingadmissionpolicybindings"
IS_DRY_RUN = "has(request.dryRun) && request.dryRun"


class Denial(NamedTuple):
    """What is denied, such as ``CREATE`` of ``pods``, unless an expression in CEL is true; ``message`` says why."""

    operation: str
    resource: str
    message: str
    unless: str = "false"
    group: str = ""


@contextmanager
def denied(arena: Arena, denial: Denial, ask: Callable[[], object]) -> Iterator[Callable[[], None]]:
    """Deny such requests, from the moment this returns; yields what lifts it. ``ask`` sends such a request."""
    name = f"{arena.pool}-denial"
    arena.api.request("POST", _POLICIES, {"metadata": {"name": name}, "spec": _policy(denial)})
    arena.api.request("POST", _BINDINGS, {"metadata": {"name": name}, "spec": _binding(arena, name)})
    eventually(lambda: _is_denied(denial, ask))

    def lift() -> None:
        for folder in (_BINDINGS, _POLICIES):
            arena.delete(f"{folder}/{name}")
        eventually(lambda: not _is_denied(denial, ask))

    try:
        yield lift
    finally:
        lift()


def _policy(denial: Denial) -> dict[str, object]:
    rule = {
        "apiGroups": [denial.group],
        "apiVersions": ["v1"],
        "operations": [denial.operation],
        "resources": [denial.resource],
    }
    validation = {"expression": denial.unless, "message": denial.message}
    return {"matchConstraints": {"resourceRules": [rule]}, "validations": [validation]}


def _binding(arena: Arena, policy: str) -> dict[str, object]:
    selector = {"matchLabels": {"kubernetes.io/metadata.name": arena.namespace}}
    return {
        "policyName": policy,
        "validationActions": ["Deny"],
        "matchResources": {"namespaceSelector": selector},
    }


def _is_denied(denial: Denial, ask: Callable[[], object]) -> bool:
    try:
        ask()
    except ApiError as error:
        return denial.message in str(error)
    return False
