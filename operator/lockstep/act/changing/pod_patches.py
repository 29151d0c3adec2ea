"""Patches members beside the cycle until their pods show the change.

After a restart, the operator sees by the pods which of them still lack the change.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from coschedule import GangKey
from lockstep.act.requests.api_refusals import is_pod_gone_or_changed
from lockstep.act.requests.concurrent import for_each
from lockstep.act.requests.deletions import NO_EFFECT_SECONDS
from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.client.pauses import pause_after
from lockstep.api.client.turns import Urgency
from lockstep.api.members.gate import go_patch
from lockstep.api.members.notice import notice_patch
from lockstep.api.members.stop import stop_patch
from lockstep.belief.state import State
from lockstep.facts.pods.failure import Failure
from lockstep.facts.pods.pod import PodFact
from lockstep.facts.reasons import Reason
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for

log = logging.getLogger(__name__)


class PodChange(NamedTuple):
    """A change of pods: the ``patch`` for a UID, its urgency, and a test whether a pod shows the change.

    ``asks`` and ``lags`` are for the log: the verb of the request that failed, and the state until it succeeds.
    """

    patch: Callable[[str], dict[str, Any]]
    urgency: Urgency
    is_done: Callable[[PodFact], bool]
    asks: str
    lags: str


OPEN_GATES = PodChange(go_patch, Urgency.ACT, lambda pod: pod.may_go, "release", "members that may start still wait")
"""Members that wait for others at their gates may go on."""

STOP = PodChange(
    stop_patch, Urgency.DELETE, lambda pod: pod.is_stopping, "stop", "members of a gang that has failed still run"
)
"""Members end on their nodes, and their pods stay."""


def notice_change(notice: str) -> PodChange:
    """The change that lets members read this notice. '' removes the notice, and any answer to it."""
    asks = "notify" if notice else "remove the notice of"
    lags = (
        "members have no notice of the change of size yet"
        if notice
        else "members still have the notice of an earlier change"
    )
    return PodChange(partial(notice_patch, notice), Urgency.DELETE, partial(_shows, notice), asks, lags)


def _shows(notice: str, pod: PodFact) -> bool:
    return pod.notice == notice and (bool(notice) or not pod.ready_for)


class PodPatches:
    """Applies one change to pods. A gang is reconciled again later if one of its pods still lacks the change."""

    def __init__(self, client: KubeClient, state: State, change: PodChange) -> None:
        self._client = client
        self._state = state
        self._change = change
        self._failures: dict[GangKey, int] = {}
        self._asked: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def make(self, gang: GangKey, pods: Iterable[PodFact]) -> None:
        """Patch the gang's ``pods`` that lack the change. Pods with a patch in progress are left out."""
        unasked = [pod for pod in pods if pod.uid not in self._asked and not self._change.is_done(pod)]
        if unasked:
            self._asked.update(pod.uid for pod in unasked)
            task = asyncio.create_task(self._make(gang, unasked))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def forget(self, gang: GangKey) -> None:
        """Forget the failures of a gang that is gone, or whose attempt has ended."""
        self._failures.pop(gang, None)

    def cancel(self) -> None:
        """Cancel all patches. The pods show which patches were carried out."""
        for task in self._tasks:
            task.cancel()

    async def stop(self) -> None:
        """Cancel all patches and wait until they have ended.

        After a restart, the pods show which of them have the change.
        """
        self.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _make(self, gang: GangKey, pods: Sequence[PodFact]) -> None:
        work_for(gang)
        try:
            failure = await self._ask_all(pods)
        except Exception:
            log.exception("%s", self._change.lags, extra=about(gang))
            await self._pause(gang)
        else:
            if failure is None:
                self._failures.pop(gang, None)
                # Pods that lack the change after this pause are patched again: the watch may be broken, or etcd may be
                # restored to an earlier state.
                await asyncio.sleep(NO_EFFECT_SECONDS)
            else:
                log.warning("%s: %s", self._change.lags, failure.message, extra=about(gang))
                await self._pause(gang)
        self._asked.difference_update(pod.uid for pod in pods)
        if any(self._lacks(pod) for pod in pods):
            self._state.changes.reconcile(gang)

    async def _pause(self, gang: GangKey) -> None:
        """Wait. The pause grows with each failure in a row."""
        failures = self._failures.get(gang, 0)
        self._failures[gang] = failures + 1
        await asyncio.sleep(pause_after(failures))

    def _lacks(self, pod: PodFact) -> bool:
        known = self._state.pods.get(pod.key)
        return known is not None and known.uid == pod.uid and not self._change.is_done(known)

    async def _ask_all(self, pods: Sequence[PodFact]) -> Failure | None:
        """Patch each pod. Returns the first failure, or None. A refused pod does not stop the others."""
        refusals: list[Failure] = []

        async def ask(pod: PodFact) -> None:
            refusal = await self._ask(pod)
            if refusal is not None:
                refusals.append(refusal)

        outage = await for_each(pods, ask)
        return outage or next(iter(refusals), None)

    async def _ask(self, pod: PodFact) -> Failure | None:
        answer = await self._client.patch(paths.pod(pod.key), self._change.patch(pod.uid), self._change.urgency)
        if answer.is_success or is_pod_gone_or_changed(answer):  # the watch reports that
            return None
        message = f"the API server refused to {self._change.asks} pod {pod.key.name}: {answer.message}"
        return Failure(reason=Reason.API_UNAVAILABLE, message=message)
