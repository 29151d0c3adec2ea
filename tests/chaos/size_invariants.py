"""What holds of changes of size, after every event: those that plans choose are `minInterval` apart."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from lockstep.api.quantities import duration_seconds, epoch_seconds

Manifest = Mapping[str, Any]
# By these fields of a bid, members have to leave its node.
_TAKEN_BACK = ("ownerPresent", "availableUntil")


class SizeInvariants:
    """Follows GangJobs, their pods and bids. ``seen`` counts the changes of size that plans have chosen.

    A change may come sooner if users have asked for that size, or if members are lost or had to leave their node. But
    it counts: a change that plans choose comes no sooner after it.
    """

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        # When each gang has changed its size last, and the sizes that users have asked for, by the UID of the gang.
        self._changed: dict[str, float] = {}
        self._asked: defaultdict[str, set[int]] = defaultdict(set)
        # Nodes that are taken back, and pods that were ever on one.
        self._taken_back: set[str] = set()
        self._had_to_leave: set[str] = set()

    def note_bid(self, what: str, manifest: Manifest, pods: Mapping[str, str]) -> None:
        """A bid was changed; ``pods`` are the nodes of all pods, by UID."""
        name, spec = manifest["metadata"]["name"], manifest["spec"]
        self._taken_back.discard(name)
        if what != "DELETED" and any(spec.get(field) for field in _TAKEN_BACK):
            self._taken_back.add(name)
            self._had_to_leave |= {uid for uid, node in pods.items() if node == name}

    def note_pod(self, uid: str, node: str) -> None:
        """A pod was changed."""
        if node in self._taken_back:
            self._had_to_leave.add(uid)

    def may_stay(self, uid: str) -> bool:
        """Whether a pod was never on a node that is taken back."""
        return uid not in self._had_to_leave

    def note_gang(self, before: Manifest, manifest: Manifest, left: Collection[bool]) -> Iterator[str]:
        """A GangJob was changed. Yields a sentence if plans have chosen a change of size too soon.

        ``left`` says of each member that has left a running attempt whether it could have stayed.
        """
        uid, elastic = manifest["metadata"]["uid"], manifest["spec"].get("elastic") or {}
        old, new = before.get("status") or {}, manifest.get("status") or {}
        self._asked[uid].add(elastic.get("size"))
        chosen = _chosen(old, new, left)
        if chosen is not None and chosen[0] not in self._asked[uid] and "minInterval" in elastic:
            yield from self._problems_of_chosen(manifest, *chosen)
        if (changed := _changed_at(old, new)) is not None:
            self._changed[uid] = max(changed, self._changed.get(uid, changed))

    def _problems_of_chosen(self, manifest: Manifest, size: int, at: float) -> Iterator[str]:
        uid, name = manifest["metadata"]["uid"], manifest["metadata"]["name"]
        least = duration_seconds(manifest["spec"]["elastic"]["minInterval"])
        self.seen["chosen"] += 1
        since = at - self._changed.get(uid, -math.inf)
        if since < least:
            yield f"plans change the size of {name} to {size} after {since:g} s, and its minInterval is {least:g} s"


def _chosen(old: Manifest, new: Manifest, left: Collection[bool]) -> tuple[int, float] | None:
    """The size that the gang is to have by a new decision, and when that was taken; None if there is none.

    Members that leave while others run on are in no decision before they leave.
    """
    following = new.get("next")
    if following and following["decidedAt"] != (old.get("next") or {}).get("decidedAt"):
        return following["size"], _seconds(following["decidedAt"])
    return (new["size"], _seconds(new["resizedAt"])) if left and all(left) else None


def _changed_at(old: Manifest, new: Manifest) -> float | None:
    """When the gang has changed its size, as far as this change of its status shows; None if it has not.

    A gang without a reservation has the size and the start that are planned.
    """
    is_the_same_run = "next" in old or ("reservedAt" in old and old["attempt"] == new.get("attempt"))
    # A gang that was undone has no size until it is planned again.
    has_changed = is_the_same_run and "reservedAt" in new and old.get("size") not in (None, new["size"])
    times = [new.get("resizedAt"), new["start"] if has_changed else None]
    return max((_seconds(time) for time in times if time), default=None)


def _seconds(time: str) -> float:
    seconds = epoch_seconds(time)
    assert seconds is not None
    return float(seconds)
