"""Labels of pods, stored compactly for clusters with tens of thousands of pods."""

from functools import lru_cache

from lockstep.api.manifest import Manifest
from lockstep.facts.pods.pod import Labels

_MOST_SHARED = 20_000
# Pods with more labels are rare, or their labels differ. So labels of such pods are not cached.
_MOST_LABELS_SHARED = 100

MOST_LABELS = 1_000
"""The most labels of a pod that are read."""


def labels_of(metadata: Manifest) -> Labels:
    """The labels of a pod; empty if there are too many. Equal labels, and equal sets of labels, are shared objects."""
    labels = metadata.get("labels")
    if not labels or are_unread(metadata):
        return ()
    if len(labels) > _MOST_LABELS_SHARED:
        return tuple(sorted(labels.items()))
    return _shared(tuple([_label(*label) for label in sorted(labels.items())]))


def are_unread(metadata: Manifest) -> bool:
    """Whether a pod has more labels than are read. Such a pod counts as matching any anti-affinity."""
    return len(metadata.get("labels") or ()) > MOST_LABELS


@lru_cache(maxsize=_MOST_SHARED)
def _label(key: str, value: str) -> tuple[str, str]:
    return key, value


@lru_cache(maxsize=_MOST_SHARED)
def _shared(labels: Labels) -> Labels:
    return labels
