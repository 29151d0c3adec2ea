"""Gangs whose pods have to leave a node: its owner is back and wants them evicted, or the node is lost.

Their owner is suspended until all pods of the Gang are gone. Then they are placed anew, on other nodes.
"""

import asyncio
import logging

from coschedule import GangKey
from lockstep.act.requests.services import Services
from lockstep.api.quantities import rfc3339
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.facts.cluster.node import OnReturn
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.logs.fields import about
from lockstep.report.status.events import pods_leave, pods_stay

log = logging.getLogger(__name__)


class LeavingGangs:
    """Has each Gang leave a node once for each reason."""

    def __init__(self, services: Services) -> None:
        self._state = services.state
        self._writer = services.writer
        self._suspensions = services.suspensions
        self._lost_nodes = services.lost_nodes
        self._count = services.count_given_up
        self._answered: dict[GangKey, Failure] = {}
        self._under_way: set[asyncio.Task[None]] = set()

    def check(self, gang: GangFact, now: float) -> None:
        """Begin to take the pods of the Gang away, if that is due."""
        group = self._state.pod_gangs.group(gang.key)
        failure = self._owner_back(group, now) or self._node_lost(group)
        if failure is None:
            self._answered.pop(gang.key, None)
        elif self._answered.get(gang.key) != failure and not self._suspensions.is_under_way(gang.key):
            self._answered[gang.key] = failure
            task = asyncio.create_task(self._leave(gang, group, failure))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    def forget(self, gang: GangKey) -> None:
        """Forget a Gang that is gone."""
        self._answered.pop(gang, None)

    async def stop(self) -> None:
        """Stop all work: what is suspended stays marked."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    def _owner_back(self, group: PodGroup, now: float) -> Failure | None:
        """The return of a node owner whose bid says that members are evicted, once their grace is over."""
        for node in group.nodes if self._state.owners.are_back else ():
            back = self._state.owners.back(node)
            if back is not None and back.on_return is OnReturn.EVICT and back.due <= now:
                message = f"the owner of node {node} is back since {rfc3339(back.since)}"
                return Failure(reason=Reason.OWNER_RETURNED, message=message)
        return None

    def _node_lost(self, group: PodGroup) -> Failure | None:
        for node in group.nodes if self._lost_nodes.are_possible else ():
            why = self._lost_nodes.why_lost(node)
            if why is not None:
                return Failure(reason=Reason.POD_LOST, message=f"a pod of it is lost: node {node} {why}")
        return None

    async def _leave(self, gang: GangFact, group: PodGroup, failure: Failure) -> None:
        uids = {pod.group.owner for pod in group.going_pods()} - {""}
        why = f"it is suspended until its pods are gone, and then resumed: {failure.message}"
        suspension = await self._suspensions.suspend(gang.key, uids, why)
        if suspension.owner:
            self._count("suspended")
            self._writer.post(gang, pods_leave(failure, suspension.owner))
        elif group.going:
            self._count("kept")
            log.warning("%s; its pods stay: %s", failure.message, suspension.why_not, extra=about(gang.key))
            self._writer.post(gang, pods_stay(failure, suspension.why_not))
