"""Gives back the quota of a Workload whose pods can't stay or can't be bound. Kueue then takes the pods back itself.

Kueue suspends their owner or deletes plain pods, so nothing counts as failed. Then the Workload is queued again.
"""

import asyncio

from coschedule import GangKey
from lockstep.act.podgang.check_writes import write_checks
from lockstep.act.requests.services import Services
from lockstep.api.client.pauses import pause_after
from lockstep.api.client.turns import Urgency
from lockstep.api.kueue.check_entries import CheckEntry
from lockstep.facts.gang.workload import CheckState

_PODS_GO_SECONDS = 600.0


class QuotaBack:
    """Gives back the quota of Workloads."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._pod_gangs = services.state.pod_gangs

    def is_possible(self, gang: GangKey) -> bool:
        """Whether the Gang is made for a Workload, and Kueue may admit this Workload, because our checks are ready."""
        return self._pod_gangs.workloads.is_admitted(gang)

    async def give_back(self, gang: GangKey, cause: str) -> str:
        """Give the quota back, and wait until no pod of the Gang is on a node.

        Returns why that failed, as a clause, or ''. Raises ``ApiUnavailableError``.
        """
        workload = self._pod_gangs.workloads.of(gang)
        if workload is None:
            return "its Workload has no quota any more"
        message = f"Lockstep gives the quota back, since the pods can't be placed: {cause.rstrip('.')}."
        entry = CheckEntry(CheckState.RETRY, message)
        why_not = await write_checks(self._services, workload, entry, Urgency.DELETE, after=CheckState.READY)
        return why_not or await self._until_gone(gang)

    async def _until_gone(self, gang: GangKey) -> str:
        until, checks = self._services.monotonic() + _PODS_GO_SECONDS, 0
        while (going := self._pod_gangs.group(gang).going) and self._services.monotonic() < until:
            await asyncio.sleep(pause_after(checks))
            checks += 1
        return f"{going} of its pods are still there after {_PODS_GO_SECONDS / 60:.0f} minutes" if going else ""
