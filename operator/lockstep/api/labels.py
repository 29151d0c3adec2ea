"""Labels of pods, of which a cluster has tens of thousands."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from lockstep.facts.pods.pod import Labels

Manifest = Mapping[str, Any]

_MOST_SHARED = 20_000
# Pods with more labels are few, or share none: to keep these would be a waste.
_MOST_LABELS_SHARED = 100

MOST_LABELS = 1_000
"""So many labels of a pod are read."""


def labels_of(metadata: Manifest) -> Labels:
    """The labels of a pod; none where they are too many. Equal ones are one value, and so is each that several have."""
    labels = metadata.get("labels")
    if not labels or are_unread(metadata):
        return ()
    if len(labels) > _MOST_LABELS_SHARED:
        return tuple(sorted(labels.items()))
    return _shared(tuple([_label(*label) for label in sorted(labels.items())]))


def are_unread(metadata: Manifest) -> bool:
    """Whether a pod has more labels than are read: it may be any pod then that others want none of near them."""
    return len(metadata.get("labels") or ()) > MOST_LABELS


@lru_cache(maxsize=_MOST_SHARED)
def _label(key: str, value: str) -> tuple[str, str]:
    return key, value


@lru_cache(maxsize=_MOST_SHARED)
def _shared(labels: Labels) -> Labels:
    return labels
