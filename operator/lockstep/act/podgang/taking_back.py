"""Takes back bound pods of a Gang if they can't stay on their nodes, in the first way that works.

Kueue takes the pods back, or their owner is suspended, or the pods are evicted. Otherwise the pods are kept.
"""

from collections.abc import Callable
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.evicting.gang_evictions import GangEvictions
from lockstep.act.podgang.quota_back import QuotaBack
from lockstep.act.requests.services import Services
from lockstep.api.podgang.owners import owner_subject
from lockstep.facts.gang.way_back import WayBack
from lockstep.report.status.events import pods_evicted


class TakenBack(NamedTuple):
    """What happened to the pods, and how, as a clause. For pods that were kept, the clause says why.

    If ``may_pass``, another try may take them back.
    """

    way: WayBack
    how: str
    may_pass: bool = False


class TakingBack:
    """Takes back the bound pods of Gangs."""

    def __init__(self, services: Services) -> None:
        self._state = services.state
        self._writer = services.writer
        self._suspensions = services.suspensions
        self._evictions = GangEvictions(services)
        self._quota = QuotaBack(services)

    def may_give_quota_back(self, gang: GangKey) -> bool:
        """Whether the pods of a Gang were created because Lockstep let Kueue admit them."""
        return self._quota.is_possible(gang)

    async def take_back(self, gang: GangKey, cause: str, is_due: Callable[[], bool]) -> TakenBack:
        """Take back all bound pods of a Gang. Returns what happened to them.

        ``cause`` is a clause. ``is_due`` is called before evictions, and prevents them if it returns False.
        """
        if self._quota.is_possible(gang):
            why_not = await self._quota.give_back(gang, cause)
            if not why_not:
                return TakenBack(WayBack.REQUEUED, "Lockstep gave its quota back, and Kueue queues its Workload again")
            return TakenBack(WayBack.KEPT, why_not, may_pass=True)
        uids = {pod.group.owner for pod in self._state.pod_gangs.group(gang).going_pods()} - {""}
        why = f"it is suspended until its pods are gone, and then resumed: {cause}"
        suspension = await self._suspensions.suspend(gang, uids, why)
        if suspension.owner:
            how = f"{suspension.owner} was suspended until its pods were gone, and resumed"
            return TakenBack(WayBack.SUSPENDED, how)
        if suspension.was_suspended:
            return TakenBack(WayBack.KEPT, suspension.why_not)
        eviction = await self._evictions.evict(gang, is_due)
        if eviction.effect:
            self._report(gang, f"{eviction.effect}: {cause}")
            return TakenBack(WayBack.EVICTED, eviction.effect)
        why_not = "; ".join(filter(None, (suspension.why_not, eviction.why_not)))
        return TakenBack(WayBack.KEPT, why_not, may_pass=True)

    def _report(self, gang: GangKey, why: str) -> None:
        """Post an event about the owner for which the operator has made the Gang."""
        known = self._state.pod_gangs.objects.get(gang)
        subject = owner_subject(known) if known is not None else None
        if subject is not None:
            self._writer.post_about(subject, pods_evicted(why), of=gang)
