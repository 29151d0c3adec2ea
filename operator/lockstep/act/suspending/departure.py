"""Waits until the pods of a Gang have left after their owner was suspended."""

import asyncio
from contextlib import suppress

from coschedule import GangKey
from lockstep.belief.lost_nodes import LostNodes, counts_as_gone
from lockstep.belief.state import State

# In seconds. A controller deletes its pods within seconds. A pod that still exists after this time is not its own, or
# the controller is away. If the owner stayed suspended until such a pod is gone, it might never run again.
_LONGEST_SECONDS = 600.0


class Departure:
    """The departure of the pods of one ``gang``. It is awaited for at most ten minutes."""

    def __init__(self, state: State, lost_nodes: LostNodes, gang: GangKey) -> None:
        self._state = state
        self._lost_nodes = lost_nodes
        self.gang = gang
        self._changed = asyncio.Event()
        self._until: float | None = None

    def wake(self) -> None:
        """Note that the pods of the Gang have changed."""
        self._changed.set()

    @property
    def is_over(self) -> bool:
        """Whether the pods have left, or ten minutes have passed since the first call."""
        now = asyncio.get_running_loop().time()
        self._until = self._until or now + _LONGEST_SECONDS
        return now >= self._until or self._have_left()

    def _have_left(self) -> bool:
        """Whether no pod of the Gang waits or is on a node, except pods that no attempt waits for."""
        group = self._state.pod_gangs.group(self.gang)
        if group.going + group.waiting:
            return False
        # A new pod that runs beside the old one would write the same files.
        return all(counts_as_gone(pod, self._lost_nodes) for pod in group.pods.values() if pod.is_deleting)

    @property
    def pods_stay(self) -> bool:
        """Whether pods of the Gang are on nodes and are not being deleted."""
        return self._state.pod_gangs.group(self.gang).going > 0

    async def wait(self, seconds: float) -> None:
        """Wait until the departure is over, at most for ``seconds``."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self.is_over:
                    self._changed.clear()
                    await self._changed.wait()

    async def finish(self) -> None:
        """Wait until the departure is over."""
        await self.wait(_LONGEST_SECONDS)
