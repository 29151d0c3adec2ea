"""Labels of pods, of which a cluster has tens of thousands."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from lockstep.facts.pod import Labels

Manifest = Mapping[str, Any]

_MOST_SHARED = 20_000


def labels_of(metadata: Manifest) -> Labels:
    """The labels of a pod. Equal ones are one value, and so is each label that several have."""
    labels = metadata.get("labels")
    return _shared(tuple([_label(*label) for label in sorted(labels.items())])) if labels else ()


@lru_cache(maxsize=_MOST_SHARED)
def _label(key: str, value: str) -> tuple[str, str]:
    return key, value


@lru_cache(maxsize=_MOST_SHARED)
def _shared(labels: Labels) -> Labels:
    return labels
