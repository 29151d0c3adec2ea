"""The fields of a pod's spec that a placement would have to obey and can't yet."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from lockstep.api.names import RANK_LABEL

Manifest = Mapping[str, Any]

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_NOT_YET = "Lockstep does not support it yet, so no member could be placed as it asks"


def unsupported(pod: Manifest) -> Iterator[str]:
    """The fields of that kind that a pod's spec has, each with the reason.

    What a scheduler only prefers is no obstacle (``preferences.py``).
    """
    for paths_of in UNSUPPORTED.values():
        for path in paths_of(pod):
            yield f"{path}: {_NOT_YET}"


def _telling_ranks_apart(kind: str, pod: Manifest) -> Iterator[str]:
    """The terms for which the members of a gang are not alike: a plan does not say who is which rank."""
    affinity = (pod.get("affinity") or {}).get(kind) or {}
    for number, term in enumerate(affinity.get(_REQUIRED) or ()):
        if RANK_LABEL in _label_keys(term):
            yield f"affinity.{kind}.{_REQUIRED}[{number}] with {RANK_LABEL}"


def _label_keys(term: Manifest) -> Iterator[str]:
    selector = term.get("labelSelector") or {}
    yield from selector.get("matchLabels") or ()
    yield from (one["key"] for one in selector.get("matchExpressions") or ())
    yield from term.get("matchLabelKeys") or ()
    yield from term.get("mismatchLabelKeys") or ()


def _required_spreads(pod: Manifest) -> Iterator[str]:
    for number, spread in enumerate(pod.get("topologySpreadConstraints") or ()):
        if spread.get("whenUnsatisfiable") != "ScheduleAnyway":
            yield f"topologySpreadConstraints[{number}].whenUnsatisfiable"


def _field(name: str, pod: Manifest) -> Iterator[str]:
    if pod.get(name):
        yield name


UNSUPPORTED: Mapping[str, Callable[[Manifest], Iterator[str]]] = {
    "affinity.podAffinity": partial(_telling_ranks_apart, "podAffinity"),
    "affinity.podAntiAffinity": partial(_telling_ranks_apart, "podAntiAffinity"),
    "topologySpreadConstraints.whenUnsatisfiable": _required_spreads,
    **{name: partial(_field, name) for name in ("resourceClaims", "nodeName", "schedulingGates", "schedulingGroup")},
}
"""By field, the paths at which a pod's spec has it."""
