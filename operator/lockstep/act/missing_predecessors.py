"""Asks the API server whether a predecessor exists that the cache does not have.

A gang may fail because a predecessor is missing, and this failure is final. But the cache may lack an object that
exists: a watch may show a large object later than a small one that was created after it.
"""

from coschedule import GangKey
from lockstep.act.requests.questions import Questions
from lockstep.act.requests.services import Services
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.runs.sweep_keys import is_sweep
from lockstep.watch.kinds import kind_of
from lockstep.watch.reader import Reader

# The number of requests at the same time. Thousands of gangs may wait for as many missing predecessors.
READS_AT_ONCE = 4


class MissingPredecessors:
    """Asks about predecessors. A gang is reconciled again after each answer."""

    def __init__(self, services: Services) -> None:
        self._client = services.client
        self._state = services.state
        self._missing = Questions(services.state, self._is_absent, at_once=READS_AT_ONCE)

    def is_missing(self, gang: GangFact, predecessor: GangKey) -> bool:
        """Whether the API server has said that the predecessor is missing. If not, begin to ask the API server."""
        return self._missing.is_confirmed(gang, predecessor)

    def forget(self, gang: GangKey) -> None:
        """Forget a gang that is gone, or that waits for no missing predecessor."""
        self._missing.forget(gang)

    async def stop(self) -> None:
        """Cancel all requests."""
        await self._missing.stop()

    async def _is_absent(self, _: GangFact, predecessor: GangKey) -> bool:
        """Read the predecessor. If it exists, the cache has it afterwards."""
        try:
            target = paths.sweep(predecessor) if is_sweep(predecessor) else paths.gang(predecessor)
            answer = await self._client.get(target)
        except ApiUnavailableError:
            return False
        if answer.is_success and self._is_watched(predecessor):
            await Reader(kind_of(self._state, predecessor)).accept(answer.body)
        return answer.is_absence

    def _is_watched(self, predecessor: GangKey) -> bool:
        if is_sweep(predecessor):
            return self._state.sweeps.are_followed
        return bool(self._state.sources) or not is_pod_gang(predecessor)
