"""Opening gates: the pods of members that waited for others are told to go on."""

import asyncio
import logging
from collections.abc import Sequence

from coschedule import GangKey
from lockstep.act.concurrent import for_each
from lockstep.act.deletions import NO_EFFECT_SECONDS
from lockstep.act.refusals import is_pod_gone
from lockstep.api import paths
from lockstep.api.client import KubeClient
from lockstep.api.gate import go_patch
from lockstep.api.pauses import pause_after
from lockstep.belief.state import State
from lockstep.facts.failure import Failure
from lockstep.facts.pod import PodFact
from lockstep.facts.reasons import Reason
from lockstep.logs.fields import about

log = logging.getLogger(__name__)


class Gates:
    """Opens gates beside the cycle. Whatever becomes of it, the gang is looked at again later: the pod is the fact."""

    def __init__(self, client: KubeClient, state: State) -> None:
        self._client = client
        self._state = state
        self._failures: dict[GangKey, int] = {}
        self._opening: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def open(self, gang: GangKey, pods: Sequence[PodFact]) -> None:
        """Let these members of that gang go on, but those that were told so a moment ago."""
        untold = [pod for pod in pods if pod.uid not in self._opening]
        if untold:
            self._opening.update(pod.uid for pod in untold)
            task = asyncio.create_task(self._open(gang, untold))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def forget(self, gang: GangKey) -> None:
        """The gang is gone, or its attempt is."""
        self._failures.pop(gang, None)

    async def stop(self) -> None:
        """Leave gates as they stand: the next process sees which are open."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _open(self, gang: GangKey, pods: Sequence[PodFact]) -> None:
        failure = await for_each(pods, self._tell)
        if failure is None:
            self._failures.pop(gang, None)
            # A watch may be blind, or etcd may be set back to before it.
            await asyncio.sleep(NO_EFFECT_SECONDS)
        else:
            failures = self._failures.get(gang, 0)
            self._failures[gang] = failures + 1
            log.warning("members that may go on still wait: %s", failure.message, extra=about(gang))
            await asyncio.sleep(pause_after(failures))
        self._opening.difference_update(pod.uid for pod in pods)
        if any((now := self._state.pods.get(pod.key)) and now.uid == pod.uid and not now.may_go for pod in pods):
            self._state.news.look_at(gang)

    async def _tell(self, pod: PodFact) -> Failure | None:
        answer = await self._client.patch(paths.pod(pod.key), go_patch(pod.uid))
        if answer.is_success or is_pod_gone(answer):  # which is news of its own
            return None
        message = f"the API server refused to let pod {pod.key.name} go on: {answer.message}"
        return Failure(reason=Reason.API_UNAVAILABLE, message=message)
