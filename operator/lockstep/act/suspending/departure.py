"""Waits until the pods of a Gang have left, as they do when their owner is suspended."""

import asyncio
from contextlib import suppress

from coschedule import GangKey
from lockstep.belief.state import State

# A controller deletes its pods within seconds. What is still there after so long is not its own, or the controller is
# away. An owner that were suspended until then would never run again.
_LONGEST_SECONDS = 600.0


class Departure:
    """The departure of one Gang's pods, which is awaited for ten minutes at most."""

    def __init__(self, state: State, gang: GangKey) -> None:
        self._state = state
        self._gang = gang
        self._changed = asyncio.Event()
        self._until: float | None = None

    def wake(self) -> None:
        """The pods of the Gang have changed."""
        self._changed.set()

    @property
    def is_over(self) -> bool:
        """Whether no pod of the Gang waits or is on a node, but for those that are being deleted; or it took too long.

        The time counts from the first call.
        """
        now = asyncio.get_running_loop().time()
        self._until = self._until or now + _LONGEST_SECONDS
        group = self._state.pod_gangs.group(self._gang)
        return now >= self._until or group.going + group.waiting == 0

    @property
    def pods_stay(self) -> bool:
        """Whether pods of the Gang are on nodes, and not being deleted."""
        return self._state.pod_gangs.group(self._gang).going > 0

    async def wait(self, seconds: float) -> None:
        """Wait until it is over, for so long at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self.is_over:
                    self._changed.clear()
                    await self._changed.wait()

    async def finish(self) -> None:
        """Wait until it is over."""
        await self.wait(_LONGEST_SECONDS)
