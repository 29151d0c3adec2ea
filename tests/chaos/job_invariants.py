"""What holds of Jobs whose pods are placed as gangs, after every event."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from live.pod_gangs import SEAT
from live.watching import ENDED
from lockstep.api.names import SUSPENDED_LABEL

Manifest = Mapping[str, Any]


class JobInvariants:
    """Follows Jobs, their pods and Gangs. Each method takes one event in, and yields a sentence for a broken promise.

    A Job may count no more failures than it had pods on nodes that are gone: Kubernetes itself deletes those.
    ``seen`` counts pods that were bound, Gangs that were placed, and Jobs that were suspended by the operator.
    """

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self._gangs: dict[str, Manifest] = {}
        # The UIDs of Jobs with our mark.
        self._marked: set[str] = set()
        self._nodes: set[str] = set()
        # The pods that are bound and run, by UID: the Job, the node and the seat of each.
        self._bound: dict[str, tuple[str, str, str]] = {}
        # The pods that were on nodes that were gone, by Job.
        self._excused: Counter[str] = Counter()

    def note_node(self, what: str, manifest: Manifest) -> None:
        """A node was changed."""
        name = manifest["metadata"]["name"]
        if what != "DELETED":
            self._nodes.add(name)
            return
        self._nodes.discard(name)
        self._excused.update(job for job, node, _ in self._bound.values() if node == name)

    def note_gang(self, what: str, manifest: Manifest) -> None:
        """A Gang was changed."""
        uid = manifest["metadata"]["uid"]
        before = self._gangs.pop(uid, {})
        if what != "DELETED":
            self._gangs[uid] = manifest
            self.seen["Gangs placed"] += is_placed(manifest) and not is_placed(before)

    def note_pod(self, what: str, manifest: Manifest, *, is_order_known: bool) -> Iterator[str]:
        """A pod was changed."""
        uid, seat = manifest["metadata"]["uid"], seat_of(manifest)
        before = self._bound.pop(uid, None)
        if what == "DELETED" or not seat or manifest["status"]["phase"] in ENDED:
            return
        node, job = manifest["spec"]["nodeName"], owner_of_kind(manifest, "Job")
        if before is None:
            self.seen["pods bound"] += 1
            self._excused[job] += node not in self._nodes
            yield from self._problems_of_bound(manifest["metadata"]["name"], seat, is_order_known=is_order_known)
        self._bound[uid] = (job, node, "" if "deletionTimestamp" in manifest["metadata"] else seat)

    def _problems_of_bound(self, name: str, seat: str, *, is_order_known: bool) -> Iterator[str]:
        if any(other == seat for _, _, other in self._bound.values()):
            yield f"{name} has the seat {seat}, which another pod has"
        gang_uid, attempt, _ = seat.split("/")
        gang = self._gangs.get(gang_uid)
        if gang is None or not is_order_known:
            return
        status = gang.get("status") or {}
        if status.get("attempt") != int(attempt) or not status.get("reservedAt"):
            yield f"{name} is bound by attempt {attempt} without a reservation: {status}"

    def note_job(self, what: str, manifest: Manifest) -> Iterator[str]:
        """A Job was changed."""
        metadata, failed = manifest["metadata"], (manifest.get("status") or {}).get("failed", 0)
        self._note_mark(metadata)
        if what != "DELETED" and "deletionTimestamp" not in metadata and failed > self._excused[metadata["uid"]]:
            excused = self._excused[metadata["uid"]]
            yield f"{metadata['name']} counts {failed} failures, and {excused} of its pods were on nodes that are gone"

    def _note_mark(self, metadata: Manifest) -> None:
        if SUSPENDED_LABEL not in (metadata.get("labels") or {}):
            self._marked.discard(metadata["uid"])
        elif metadata["uid"] not in self._marked:
            self._marked.add(metadata["uid"])
            self.seen["Jobs suspended"] += 1


def is_placed(gang: Manifest) -> bool:
    """Whether all pods of a Gang are bound, as its status says."""
    conditions = (gang.get("status") or {}).get("conditions") or ()
    return any(one["type"] == "Placed" and one["status"] == "True" for one in conditions)


def seat_of(manifest: Manifest) -> str:
    """The seat of a pod that was bound for a Gang; '' for another."""
    return str((manifest["metadata"].get("annotations") or {}).get(SEAT, ""))


def owner_of_kind(manifest: Manifest, kind: str) -> str:
    """The UID of the owner of that kind; '' without one."""
    owners = manifest["metadata"].get("ownerReferences") or ()
    return next((str(one["uid"]) for one in owners if one["kind"] == kind), "")
