"""Which pods a ResourceQuota counts, by its scopes: as the API server's admission has it."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from lockstep.facts.cluster.quota import Scope


class CountedPod(NamedTuple):
    """What scopes ask of a pod besides its priority class."""

    is_best_effort: bool
    is_terminating: bool


def is_counted(pod: CountedPod, scopes: Iterable[Scope], priority_class: str) -> bool:
    """Whether a pod of that priority class, '' for none, is of all of these scopes."""
    return all(_holds(scope, pod, priority_class) for scope in scopes)


def _holds(scope: Scope, pod: CountedPod, priority_class: str) -> bool:
    """Whether a member is of that scope; of a scope that is not known here none is, and the API server decides."""
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
