"""The fields of a pod's spec that a scheduler must respect, but that Lockstep does not support."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from lockstep.api.manifest import Manifest
from lockstep.api.names import RANK_LABEL

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_NOT_YET = "Lockstep does not support this field yet"


def unsupported(pod: Manifest) -> Iterator[str]:
    """The unsupported fields of a pod's spec, each with the reason.

    Fields with preferences are accepted (``preferences.py``).
    """
    for paths_of in UNSUPPORTED.values():
        for path in paths_of(pod):
            yield f"{path}: {_NOT_YET}"


def _terms_by_rank(kind: str, pod: Manifest) -> Iterator[str]:
    """The paths of affinity terms that select members of a gang by rank. A plan does not assign ranks."""
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
    "affinity.podAffinity": partial(_terms_by_rank, "podAffinity"),
    "affinity.podAntiAffinity": partial(_terms_by_rank, "podAntiAffinity"),
    "topologySpreadConstraints.whenUnsatisfiable": _required_spreads,
    **{name: partial(_field, name) for name in ("resourceClaims", "nodeName", "schedulingGates", "schedulingGroup")},
}
"""For each unsupported field, a function that returns the paths at which a pod's spec has it."""
