"""What holds of evictions, after every event: only pods of Gangs are evicted whose users have written so."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from chaos.sets import EVICT
from live.pod_gangs import MEMBER_OF

Manifest = Mapping[str, Any]
# What the API server writes to a pod that is evicted by a request. Nothing but the operator sends these in a walk.
_REASON = "EvictionByEvictionAPI"


class SetInvariants:
    """Follows Gangs and pods. ``seen`` counts pods that were evicted.

    A Gang that has said ``Evict`` once may say ``Keep`` before the operator hears of it.
    """

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self._may_go: set[str] = set()
        self._evicted: set[str] = set()

    def note_gang(self, manifest: Manifest) -> None:
        """A Gang was changed."""
        if manifest["spec"].get("undo") == EVICT:
            self._may_go.add(manifest["metadata"]["name"])

    def note_pod(self, manifest: Manifest) -> Iterator[str]:
        """A pod was changed. Yields a sentence if it should not have been evicted."""
        metadata = manifest["metadata"]
        if metadata["uid"] in self._evicted or not _is_evicted(manifest):
            return
        self._evicted.add(metadata["uid"])
        self.seen["pods evicted"] += 1
        if (metadata.get("labels") or {}).get(MEMBER_OF) not in self._may_go:
            yield f"{metadata['name']} was evicted, and its Gang never said so"


def _is_evicted(manifest: Manifest) -> bool:
    conditions = (manifest.get("status") or {}).get("conditions") or ()
    return any(one.get("reason") == _REASON for one in conditions)
