"""Parses the annotations about a Kueue group, which only the pods of the group have."""

import re
from collections.abc import Mapping
from functools import lru_cache

from lockstep.api.manifest import NewManifest
from lockstep.api.podgang.gang_annotations import HOSTS, OF_PARTS, OF_TEMPLATE, OVERHEAD_PER_MEMBER, SERIAL_TIME, UNDO
from lockstep.facts.gang.pod_gang import GroupTerms
from lockstep.facts.pods.pod import Labels, PodKey
from lockstep.facts.ranks import MOST_RANKS

KUEUE_GROUP = "kueue.x-k8s.io/pod-group-name"
TOTAL_COUNT = "kueue.x-k8s.io/pod-group-total-count"
# With this annotation, Kueue lets the first pods of a group run before the other pods exist.
FAST_ADMISSION = "kueue.x-k8s.io/pod-group-fast-admission"

_CONCERN_GROUP = (TOTAL_COUNT, FAST_ADMISSION, SERIAL_TIME, OVERHEAD_PER_MEMBER, HOSTS, UNDO, OF_TEMPLATE, *OF_PARTS)
# No valid text is longer; the longest ones are keys of labels.
_LONGEST_TEXT = 320
_NUMBER = re.compile(r"\+?0*([1-9][0-9]{0,4})")
_MOST_SHARED = 1_000


def group_terms(annotations: Mapping[str, str]) -> GroupTerms:
    """The terms of a group, from the annotations of one of its pods. Equal terms are one object."""
    found = ((name, annotations[name][:_LONGEST_TEXT]) for name in _CONCERN_GROUP if name in annotations)
    return _terms(tuple(found))


def pod_in_group(pod: PodKey, uid: str, terms: GroupTerms) -> NewManifest:
    """A manifest of a pod that has only its name, its UID and the annotations about its group."""
    metadata = {"name": pod.name, "namespace": pod.namespace, "uid": uid, "annotations": dict(terms.annotations)}
    return {"metadata": metadata}


@lru_cache(maxsize=_MOST_SHARED)
def _terms(annotations: Labels) -> GroupTerms:
    says = dict(annotations)
    number = _NUMBER.fullmatch(says.get(TOTAL_COUNT, ""))
    total = int(number[1]) if number else 0
    if total > MOST_RANKS:
        total = 0
    return GroupTerms(total, min(total, 1) if says.get(FAST_ADMISSION) == "true" else total, annotations)
