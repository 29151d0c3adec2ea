"""Deletes pods of no current attempt: stale pods of earlier attempts, and orphans of deleted GangJobs."""

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Sequence
from itertools import count

from coschedule import GangKey
from lockstep.act.requests.deletions import NO_EFFECT_SECONDS, Deletions
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError, exists
from lockstep.api.client.client import KubeClient
from lockstep.api.client.pauses import pause_after
from lockstep.belief.state import State
from lockstep.facts.pods.pod import PodFact
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for

# While a gang exists that no watch has shown yet, the pause between two requests for it is 8 seconds at most.
_MOST_DOUBLINGS = 3

log = logging.getLogger(__name__)


class Sweeper:
    """Deletes pods beside the cycle. A gang whose pods could not be deleted is reconciled again after a pause."""

    def __init__(self, client: KubeClient, state: State, deletions: Deletions) -> None:
        self._client = client
        self._state = state
        self._deletions = deletions
        self._failures: dict[GangKey, int] = {}
        self._sweeping: set[GangKey] = set()
        self._missed: set[GangKey] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def delete(self, gang: GangKey, pods: Iterable[PodFact]) -> None:
        """Delete these pods of that gang, except those that are being deleted."""
        due = self._deletions.due(pods)
        if due:
            self._spawn(self._delete(gang, due))

    def sweep(self, names: Iterable[GangKey]) -> None:
        """Delete the members of these gangs if neither the cache nor the API server has the gang.

        Kubernetes' garbage collector does the same, but later, and only where it runs.
        """
        by_gang: dict[GangKey, list[PodFact]] = {}
        for pod in self._deletions.due(self._state.orphans(names)):
            assert pod.member is not None, "an orphan is a member"
            by_gang.setdefault(pod.member.gang, []).append(pod)
        for gang, pods in by_gang.items():
            if gang in self._sweeping:
                self._missed.add(gang)
            else:
                self._sweeping.add(gang)
                self._spawn(self._sweep(gang, pods))

    async def stop(self) -> None:
        """Cancel all deletions. After a restart, the operator finds the same pods."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _sweep(self, gang: GangKey, pods: list[PodFact]) -> None:
        """Check that the gang of these pods does not exist, then delete the orphans.

        There is one sweep of a gang at a time.
        """
        work_for(gang)
        try:
            orphans = await self._orphans(gang, pods)
        except ApiUnavailableError as error:
            await self._rest(gang, str(error))
        else:
            await self._delete(gang, orphans)
        finally:
            self._sweeping.discard(gang)
        if gang in self._missed:
            self._missed.discard(gang)
            self._state.changes.reconcile(gang)

    async def _orphans(self, gang: GangKey, pods: list[PodFact]) -> list[PodFact]:
        """The orphans among the gang's members. Asks until there are some, or until the cache has the gang.

        A gang that exists may be deleted before a watch shows it. Then no watch shows its deletion, so the API server
        is asked again and again.
        """
        for requests in count():
            orphans = await orphans_among(self._client, gang, pods)
            if orphans:
                break
            await asyncio.sleep(pause_after(min(requests, _MOST_DOUBLINGS)))
            pods = self._state.orphans([gang])
            if not pods:
                break
        if len(orphans) < len(pods):
            # The other pods belong to the gang that no watch has shown yet.
            self._missed.add(gang)
        return orphans

    async def _delete(self, gang: GangKey, pods: Sequence[PodFact]) -> None:
        work_for(gang)
        failure = await self._deletions.delete(pods)
        if failure is None:
            self._failures.pop(gang, None)
            self._spawn(self._check_effect(gang, pods))
        else:
            await self._rest(gang, failure.message)

    async def _check_effect(self, gang: GangKey, pods: Sequence[PodFact]) -> None:
        """Reconcile the gang again if a deleted pod is still in the cache.

        In this case the watch is broken, or the pod came back because etcd was restored from a backup.
        """
        await asyncio.sleep(NO_EFFECT_SECONDS)
        cached = [self._state.pods.get(pod.key) for pod in pods]
        if any(now and now.uid == pod.uid and not now.is_deleting for now, pod in zip(cached, pods, strict=True)):
            self._state.changes.reconcile(gang)

    async def _rest(self, gang: GangKey, message: str) -> None:
        failures = self._failures.get(gang, 0)
        self._failures[gang] = failures + 1
        log.warning("pods that should be deleted still exist: %s", message, extra=about(gang))
        await asyncio.sleep(pause_after(failures))
        self._missed.discard(gang)
        self._state.changes.reconcile(gang)

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def orphans_among(client: KubeClient, gang: GangKey, pods: Iterable[PodFact]) -> list[PodFact]:
    """The members among ``pods`` whose GangJob is gone or being deleted.

    The API server is asked, because the watch of GangJobs may be late. Raises ``ApiUnavailableError`` if the API server
    does not answer the question.
    """
    answer = await client.get(paths.gang(gang))
    if not exists(answer, f"GangJob {gang.name}"):
        return list(pods)
    metadata = answer.body.get("metadata")
    if not metadata:
        raise ApiUnavailableError("Lockstep can't check that the gang exists: the answer is no GangJob")
    alive = "" if "deletionTimestamp" in metadata else metadata["uid"]
    return [pod for pod in pods if pod.member is not None and pod.member.gang_uid != alive]
