"""Gangs whose pods have to leave a node: its node owner is back and wants them evicted, or the node is lost.

If the Gang can continue with its other pods, only the pods on such nodes leave. Otherwise all pods of the Gang are
taken back if possible, and then placed anew on other nodes. If the pods can't be taken back, the operator tries again
after pauses, as long as the reason lasts.
"""

import asyncio
import logging
import math
from collections.abc import Callable, Collection
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.admission.repeats import pause_before_repeat
from lockstep.act.podgang.taking_back import TakenBack, TakingBack
from lockstep.act.requests.services import Services
from lockstep.api.quantities import rfc3339
from lockstep.cycle.clockwork.alarms import Alarms
from lockstep.cycle.resizing.pod_gang_sizes import PodGangShrink
from lockstep.cycle.resizing.without_nodes import changes_until, shrink_without
from lockstep.facts.cluster.node import OnReturn
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.way_back import WayBack
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.logs.fields import about
from lockstep.report.status.events import pods_leave, pods_stay

log = logging.getLogger(__name__)


class _Answered(NamedTuple):
    """The last try to take pods from nodes: why they had to leave, the generation of the Gang, and the result.

    ``why_not`` is the reason why they stayed after ``tries`` tries in vain. The next try is at ``again_at``, on the
    monotonic clock.
    """

    failure: Failure
    generation: int
    again_at: float
    tries: int = 0
    why_not: str = ""

    def again(self, clock: float) -> "_Answered":
        """The same after one more try in vain."""
        return self._replace(tries=self.tries + 1, again_at=clock + pause_before_repeat(self.tries))


class LeavingGangs:
    """Takes the pods of Gangs from nodes, once for each reason. After a failure, it tries again.

    An event reports each change of the result.

    ``shrink`` is called with a Gang that can continue with its other pods. It is called once for each reason.
    """

    def __init__(self, services: Services, shrink: Callable[[PodGangShrink], None]) -> None:
        self._shrink = shrink
        self._state = services.state
        self._writer = services.writer
        self._now = services.now
        self._monotonic = services.monotonic
        self._suspensions = services.suspensions
        self._taking_back = TakingBack(services)
        self._lost_nodes = services.lost_nodes
        self._count = services.count_given_up
        self._alarms = Alarms(services.now, due=services.state.changes.reconcile)
        self._answered: dict[GangKey, _Answered] = {}
        self._under_way: dict[GangKey, asyncio.Task[None]] = {}

    def check(self, gang: GangFact, now: float) -> None:
        """Begin to take back the pods of a Gang without an attempt, if that is due."""
        due = self._due(gang, now)
        self._state.pod_gangs.leaving.pop(gang.key, None)
        if due is not None and not self._goes_on_with_others(gang, due, now):
            self._under_way[gang.key] = asyncio.create_task(self._leave(gang, due))
            # The next try is recorded now, because this one may end by an error.
            self._keep(gang.key, due.again(self._monotonic()))

    def check_attempt(self, gang: GangFact, now: float) -> Failure | None:
        """End the attempt of a Gang if its pods have to leave a node now. Returns why they have to, or None.

        After the attempt has ended, the pods are taken back. These include pods that were not bound yet.
        """
        due = self._due(gang, now)
        if due is None:
            self._state.pod_gangs.leaving.pop(gang.key, None)
            return None
        self._state.pod_gangs.leaving[gang.key] = due.failure
        return due.failure

    def forget(self, gang: GangKey) -> None:
        """Forget a Gang that is gone, or that need not leave a node."""
        self._answered.pop(gang, None)
        self._state.pod_gangs.leaving.pop(gang, None)
        self._alarms.forget(gang)

    async def stop(self) -> None:
        """Stop all work. Suspended owners keep the label by which the next process finds them."""
        self._alarms.stop()
        for task in self._under_way.values():
            task.cancel()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)

    def _goes_on_with_others(self, gang: GangFact, due: _Answered, now: float) -> bool:
        """Whether the Gang continues without the pods that have to leave. If it can, begin that."""
        nodes = self._nodes_to_leave(gang.key, now)
        shrink = None if due.tries else shrink_without(self._state, gang.key, nodes, due.failure, now)
        if shrink is None:
            return False
        is_begun = self._writer.make_way(gang.key)
        if is_begun:
            self._shrink(shrink)
        # If the shrink has not begun, a report is being written, and the shrink is tried again later.
        self._keep(gang.key, due.again(self._monotonic())._replace(tries=int(is_begun)))
        return True

    def _due(self, gang: GangFact, now: float) -> _Answered | None:
        """Why pods of the Gang have to leave now; None if they need not, or if no try is due."""
        if gang.key in self._under_way or self._suspensions.is_under_way(gang.key):
            return None
        failure = self._failure(gang.key, now)
        if failure is None:
            self.forget(gang.key)
            return None
        changes = changes_until(self._state, gang, now)
        if changes is not None:
            self._alarms.set(gang.key, changes)
            return None
        known = self._answered.get(gang.key)
        if known is None or (known.failure, known.generation) != (failure, gang.generation):
            known = _Answered(failure, gang.generation, again_at=-math.inf)
        if known.again_at <= self._monotonic():
            return known
        self._keep(gang.key, known)
        return None

    def _failure(self, gang: GangKey, now: float) -> Failure | None:
        """Why the pods of a Gang have to leave now; None if they need not."""
        nodes = self._state.pod_gangs.group(gang).nodes
        return self._owner_back(nodes, now) or self._node_lost(nodes)

    def _nodes_to_leave(self, gang: GangKey, now: float) -> Collection[str]:
        """All nodes that the pods of the Gang have to leave now."""
        nodes = self._state.pod_gangs.group(gang).nodes
        return {node for node in nodes if self._owner_back((node,), now) or self._node_lost((node,))}

    def _owner_back(self, nodes: Collection[str], now: float) -> Failure | None:
        """The failure for a node whose owner is back and evicts members.

        None if there is no such node, or if the grace period of its bid is not over.
        """
        for node in nodes if self._state.owners.are_back else ():
            back = self._state.owners.back(node)
            if back is not None and back.on_return is OnReturn.EVICT and back.due <= now:
                message = f"the owner of node {node} has been back since {rfc3339(back.since)}"
                return Failure(reason=Reason.OWNER_RETURNED, message=message)
        return None

    def _node_lost(self, nodes: Collection[str]) -> Failure | None:
        for node in nodes if self._lost_nodes.are_possible else ():
            why = self._lost_nodes.why_lost(node)
            if why is not None:
                return Failure(reason=Reason.POD_LOST, message=f"a pod of the Gang is lost: node {node} {why}")
        return None

    async def _leave(self, gang: GangFact, known: _Answered) -> None:
        try:
            taken = await self._taking_back.take_back(
                gang.key, known.failure.message, lambda: self._failure(gang.key, self._now()) is not None
            )
            self._answer(gang, known, taken)
        finally:
            del self._under_way[gang.key]
            self._state.changes.reconcile(gang.key)

    def _answer(self, gang: GangFact, known: _Answered, taken: TakenBack) -> None:
        """Report what happened to the pods. If they stay, plan another try."""
        if gang.key not in self._state.gangs:
            return
        if taken.way is not WayBack.KEPT:
            self._count(taken.way)
            self._writer.post(gang, pods_leave(known.failure, taken.how))
        elif self._state.pod_gangs.group(gang.key).going and taken.how != known.why_not:
            self._report_kept(gang, known.failure, taken.how)
        known = known._replace(why_not=taken.how)
        self._keep(gang.key, known.again(self._monotonic()) if taken.may_pass else known._replace(again_at=math.inf))

    def _keep(self, gang: GangKey, known: _Answered) -> None:
        self._answered[gang] = known
        left = known.again_at - self._monotonic()
        self._alarms.set(gang, self._now() + left if left < math.inf else None)

    def _report_kept(self, gang: GangFact, failure: Failure, why_not: str) -> None:
        self._count(WayBack.KEPT)
        log.warning("%s; the gang's pods stay: %s", failure.message, why_not, extra=about(gang.key))
        self._writer.post(gang, pods_stay(failure, why_not))
