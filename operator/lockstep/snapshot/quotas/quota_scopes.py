"""The pods that a ResourceQuota counts by its scopes, by the rules of the API server's admission."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from lockstep.facts.cluster.quota import Scope


class CountedPod(NamedTuple):
    """The properties of a pod that scopes select, besides its priority class."""

    is_best_effort: bool
    is_terminating: bool


def is_counted(pod: CountedPod, scopes: Iterable[Scope], priority_class: str) -> bool:
    """Whether the pod is in all of these scopes; ``priority_class`` is '' for a pod without a class."""
    return all(_holds(scope, pod, priority_class) for scope in scopes)


def _holds(scope: Scope, pod: CountedPod, priority_class: str) -> bool:
    """Whether the pod is in that scope. No pod is in an unknown scope; then the API server decides."""
    if scope.name == "PriorityClass":
        return _OPERATORS.get(scope.operator, _never)(priority_class, scope.values)
    return {
        "BestEffort": pod.is_best_effort,
        "NotBestEffort": not pod.is_best_effort,
        "Terminating": pod.is_terminating,
        "NotTerminating": not pod.is_terminating,
    }.get(scope.name, False)


def _never(_: str, __: frozenset[str]) -> bool:
    return False


_OPERATORS: Mapping[str, Callable[[str, frozenset[str]], bool]] = {
    "In": lambda name, values: bool(name) and name in values,
    "NotIn": lambda name, values: name not in values,
    "Exists": lambda name, _: bool(name),
    "DoesNotExist": lambda name, _: not name,
}
