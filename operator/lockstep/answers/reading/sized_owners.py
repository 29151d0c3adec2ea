"""Owners that wait for a size, read from a list. The requirements of their pods are read from their templates."""

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.podgang.any_pod import parse_any_pod
from lockstep.api.podgang.sizing.sized_kind import SizedKind
from lockstep.belief.podgangs.own_pods import PodsAlike, SizedPods
from lockstep.belief.podgangs.pod_group import alone
from lockstep.belief.state import State
from lockstep.facts.gang.pod_gang import GroupedPod
from lockstep.facts.gang.sized_owner import SizedOwner
from lockstep.watch.kind import WatchedKind
from lockstep.watch.kinds import sized_owners_kind


class _OwnerAndPods(NamedTuple):
    """An owner, and the requirements of its pods if it waits for a size."""

    owner: SizedOwner
    pods: SizedPods | None


def listed_owners_kind(sized: SizedKind, state: State) -> WatchedKind[_OwnerAndPods]:
    """All owners of a kind, with their pods' requirements from the templates.

    The operator uses dry runs of pods instead. With templates, users need no right to create pods.
    """
    kind: WatchedKind[Any] = sized_owners_kind(sized, state)
    return replace(kind, parse=partial(_parse, sized, state), apply=partial(_apply, state))


def _parse(kind: SizedKind, state: State, manifest: Manifest) -> _OwnerAndPods:
    owner = kind.parse(manifest)
    if not owner.awaits_size or kind.problem(manifest):
        return _OwnerAndPods(owner, None)
    varying = _needs(kind.pod(manifest), manifest, state)
    first = None if kind.first_pod is None else _needs(kind.first_pod(manifest), manifest, state)
    is_known = (first is None) == (kind.first_pod is None)
    fixed = () if first is None else (first,)
    return _OwnerAndPods(owner, SizedPods(varying, fixed, owner.sizes) if varying is not None and is_known else None)


def _needs(pod: NewManifest, owner: Manifest, state: State) -> PodsAlike | None:
    given = {"uid": "", "resourceVersion": "", "creationTimestamp": owner["metadata"]["creationTimestamp"]}
    fact = parse_any_pod({**pod, "metadata": {**given, **pod["metadata"]}}, state.sources)
    return alone(fact) if isinstance(fact, GroupedPod) else None


def _apply(state: State, found: _OwnerAndPods) -> None:
    owner, pods = found
    state.pod_gang_facts.apply_owner(owner)
    if pods is not None:
        state.pod_gang_facts.learn_coming_pods(owner, pods)
