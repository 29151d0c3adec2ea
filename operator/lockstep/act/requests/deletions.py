"""Deletes an attempt's pods by UID, so that no other pod of the same name is deleted."""

import math
from collections.abc import Callable, Iterable

from lockstep.act.requests.concurrent import for_each
from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.client.pauses import pause_after
from lockstep.facts.pods.failure import Failure
from lockstep.facts.pods.pod import MOST_GRACE_SECONDS, PodFact
from lockstep.facts.reasons import Reason

# In seconds. A deletion is repeated if it was accepted and no watch shows it after this time: the watch is broken or
# late.
NO_EFFECT_SECONDS = 60.0
# The longest time in seconds by which our clock may be behind the API server's.
_CLOCK_SECONDS = 300.0
# In seconds. It is longer than any pause, so that failures of a pod are still known at the next try.
_TIDY_SECONDS = 120.0


class Deletions:
    """Deletes pods. However often callers pass a pod, it is deleted again only in three cases.

    - Its last deletion has failed, and some time has passed since then.
    - Its last deletion had no effect for a long time.
    - It is being deleted with a longer grace period than members may have. Then it gets the longest allowed one.
    """

    def __init__(self, client: KubeClient, *, monotonic: Callable[[], float], now: Callable[[], float]) -> None:
        self._client = client
        self._monotonic = monotonic
        self._now = now
        # Both are by UID. Entries that no longer prevent a request are dropped, so these maps stay small.
        self._not_before: dict[str, float] = {}
        self._failures: dict[str, int] = {}
        self._tidy_at = 0.0

    def due(self, pods: Iterable[PodFact]) -> list[PodFact]:
        """The ``pods`` that still need a deletion and whose pause is over."""
        now, latest = self._monotonic(), self._now() + MOST_GRACE_SECONDS + _CLOCK_SECONDS
        undeleted = (pod for pod in pods if not pod.is_deleting or (pod.gone_by or 0.0) > latest)
        return [pod for pod in undeleted if self._not_before.get(pod.uid, now) <= now]

    async def delete(self, pods: Iterable[PodFact]) -> Failure | None:
        """Delete these pods unless a deletion is in progress. A pod that is gone or replaced is no failure.

        A refused deletion does not stop the others. Returns the first failure, or None.
        """
        self._tidy()
        due = self.due(pods)
        self._not_before.update(dict.fromkeys((pod.uid for pod in due), math.inf))
        open_uids = {pod.uid for pod in due}
        refusals: list[Failure] = []

        async def delete(pod: PodFact) -> None:
            refusal = await self._delete(pod)
            if refusal is not None:
                refusals.append(refusal)
                return
            open_uids.discard(pod.uid)
            self._failures.pop(pod.uid, None)
            self._not_before[pod.uid] = self._monotonic() + NO_EFFECT_SECONDS

        try:
            outage = await for_each(due, delete)
        finally:
            self._rest(open_uids)
        return outage or next(iter(refusals), None)

    async def _delete(self, pod: PodFact) -> Failure | None:
        grace_seconds = MOST_GRACE_SECONDS if pod.is_deleting else None
        answer = await self._client.delete(paths.pod(pod.key), uid=pod.uid, grace_seconds=grace_seconds)
        if answer.is_success or answer.is_gone_or_changed:
            return None
        message = f"the API server refused to delete pod {pod.key.name}: {answer.message}"
        return Failure(reason=Reason.API_UNAVAILABLE, message=message)

    def _rest(self, uids: Iterable[str]) -> None:
        """Start a pause for pods that were not deleted."""
        now = self._monotonic()
        for uid in uids:
            failures = self._failures.get(uid, 0)
            self._failures[uid] = failures + 1
            self._not_before[uid] = now + pause_after(failures)

    def _tidy(self) -> None:
        now = self._monotonic()
        if now < self._tidy_at:
            return
        self._tidy_at = now + _TIDY_SECONDS
        self._not_before = {uid: when for uid, when in self._not_before.items() if when + _TIDY_SECONDS > now}
        self._failures = {uid: count for uid, count in self._failures.items() if uid in self._not_before}
