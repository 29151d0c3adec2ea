"""What Kueue has queued: it decides when that is suspended and resumed, and how large it is."""

from lockstep.api.manifest import Manifest

_PREFIX = "kueue.x-k8s.io/"


def is_queued(owner: Manifest) -> bool:
    """Whether an owner of pods is Kueue's, by its labels."""
    return any(label.startswith(_PREFIX) for label in owner["metadata"].get("labels") or {})
