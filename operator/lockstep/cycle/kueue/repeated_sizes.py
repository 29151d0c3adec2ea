"""How long an owner waits for a new size after its last one was taken back: a controller may take back each one."""

from collections.abc import Callable
from typing import NamedTuple

from coschedule import GangKey
from lockstep.api.client.pauses import pause_after
from lockstep.facts.gang.sized_owner import SizedOwner

# In seconds. No controller takes back a size that has stayed for this time.
_KEPT_SECONDS = 600.0


class _Given(NamedTuple):
    """The UID of an owner, the number of sizes that it got, and the time of the last one on the monotonic clock."""

    uid: str
    sizes: int
    at: float


class RepeatedSizes:
    """Records the sizes that owners in a queue have got. The pause doubles with each size, up to a minute."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._given: dict[GangKey, _Given] = {}

    def record(self, owner: SizedOwner) -> None:
        """Record that the owner has got a size now."""
        before, now = self._last(owner), self._monotonic()
        earlier = 0 if before is None or now - before.at >= _KEPT_SECONDS else before.sizes
        self._given[owner.gang] = _Given(owner.uid, earlier + 1, now)

    def pause_left(self, owner: SizedOwner) -> float:
        """The seconds for which the owner must get no other size."""
        last = self._last(owner)
        return 0.0 if last is None else max(0.0, last.at + pause_after(last.sizes - 1) - self._monotonic())

    def forget(self, gang: GangKey) -> None:
        """Forget an owner that has left the queue."""
        self._given.pop(gang, None)

    def _last(self, owner: SizedOwner) -> _Given | None:
        last = self._given.get(owner.gang)
        return last if last is not None and last.uid == owner.uid else None
