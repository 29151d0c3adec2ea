"""How long an owner waits for a size whose last one was taken back: another controller may take back each one."""

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from coschedule import GangKey
from lockstep.api.client.pauses import pause_after
from lockstep.facts.gang.sized_owner import SizedOwner

# A size that has stayed for so long was not taken back by a controller.
_KEPT_SECONDS = 600.0


class _Given(NamedTuple):
    """The owner with that UID got its last of so many sizes at that time, which is monotonic."""

    uid: str
    sizes: int
    at: float


class RepeatedSizes:
    """The owners that got a size in the last ten minutes. The pause doubles with each size, up to a minute."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        # The one that got its size first is first.
        self._given = OrderedDict[GangKey, _Given]()

    def record(self, owner: SizedOwner) -> None:
        """Record that the owner has got a size now."""
        self._forget_old()
        before = self._given.pop(owner.gang, None)
        sizes = before.sizes + 1 if before is not None and before.uid == owner.uid else 1
        self._given[owner.gang] = _Given(owner.uid, sizes, self._monotonic())

    def pause_left(self, owner: SizedOwner) -> float:
        """For how many seconds the owner is to get no other size."""
        self._forget_old()
        last = self._given.get(owner.gang)
        if last is None or last.uid != owner.uid:
            return 0.0
        return max(0.0, last.at + pause_after(last.sizes - 1) - self._monotonic())

    def forget(self, gang: GangKey) -> None:
        """Forget an owner that has left the queue."""
        self._given.pop(gang, None)

    def _forget_old(self) -> None:
        while self._given:
            gang, first = next(iter(self._given.items()))
            if self._monotonic() - first.at < _KEPT_SECONDS:
                return
            del self._given[gang]
