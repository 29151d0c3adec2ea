"""Taking back what an attempt made: pods are deleted by UID, so that nothing of anybody else's can be hit."""

import math
from collections.abc import Callable, Iterable

from lockstep.act.requests.concurrent import for_each
from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.client.pauses import pause_after
from lockstep.facts.pods.failure import Failure
from lockstep.facts.pods.pod import MOST_GRACE_SECONDS, PodFact
from lockstep.facts.reasons import Reason

_NOT_FOUND = 404
_CONFLICT = 409
# A pod that the API server has agreed to delete, and that no watch shows as gone or going: the watch is blind, or late.
NO_EFFECT_SECONDS = 60.0
# By how much our clock may be behind the API server's.
_CLOCK_SECONDS = 300.0
# Longer than any pause, so that failures of a pod are still known when it is asked for again.
_TIDY_SECONDS = 120.0


class Deletions:
    """Deletes pods, each of them once, whoever asks and however often.

    A pod is asked for again only some time after an error, or after a long while in which nothing has shown an effect.
    One that somebody deletes with a longer grace period than a member may have is deleted again, with the longest.
    """

    def __init__(self, client: KubeClient, *, monotonic: Callable[[], float], now: Callable[[], float]) -> None:
        self._client = client
        self._monotonic = monotonic
        self._now = now
        # By UID. What no longer keeps anybody from asking is dropped, so these cannot grow.
        self._not_before: dict[str, float] = {}
        self._failures: dict[str, int] = {}
        self._tidy_at = 0.0

    def wanting(self, pods: Iterable[PodFact]) -> list[PodFact]:
        """Those of these pods that are not being deleted, or not soon enough, and that may be asked for."""
        now, latest = self._monotonic(), self._now() + MOST_GRACE_SECONDS + _CLOCK_SECONDS
        unwanted = (pod for pod in pods if not pod.is_deleting or (pod.gone_by or 0.0) > latest)
        return [pod for pod in unwanted if self._not_before.get(pod.uid, now) <= now]

    async def delete(self, pods: Iterable[PodFact]) -> Failure | None:
        """Delete these pods where nobody does yet; one that is gone, or is another one by now, is no failure.

        A pod that the API server refuses to delete keeps no other from being deleted. Returns the first failure.
        """
        self._tidy()
        wanting = self.wanting(pods)
        self._not_before.update(dict.fromkeys((pod.uid for pod in wanting), math.inf))
        open_uids = {pod.uid for pod in wanting}
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
            outage = await for_each(wanting, delete)
        finally:
            self._rest(open_uids)
        return outage or next(iter(refusals), None)

    async def _delete(self, pod: PodFact) -> Failure | None:
        grace_seconds = MOST_GRACE_SECONDS if pod.is_deleting else None
        answer = await self._client.delete(paths.pod(pod.key), uid=pod.uid, grace_seconds=grace_seconds)
        if answer.is_success or answer.code in (_NOT_FOUND, _CONFLICT):
            return None
        message = f"the API server refused to delete pod {pod.key.name}: {answer.message}"
        return Failure(reason=Reason.API_UNAVAILABLE, message=message)

    def _rest(self, uids: Iterable[str]) -> None:
        """These were not deleted: nobody asks for them again before a pause is over."""
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
