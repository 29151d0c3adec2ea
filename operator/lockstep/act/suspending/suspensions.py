"""Suspends owners of pods, and resumes them once their pods are gone: no failure is counted, and new pods come.

The mark of a suspension is written with it, on the owner itself. So the next process finds and resumes what this one
has suspended, even if the Gang is gone.
"""

import asyncio
import itertools
import logging
from collections.abc import Collection, Coroutine
from contextlib import suppress
from http import HTTPStatus
from typing import Any, NamedTuple

from coschedule import GangKey
from lockstep.act.suspending.top_owner import TopOwner, top_owner
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.pauses import pause_after
from lockstep.api.client.review import is_allowed, own_access_review
from lockstep.api.names import SUSPENDED_BY, SUSPENDED_LABEL
from lockstep.api.podgang.suspending import SuspendableKind, kinds_above, suspended_for
from lockstep.belief.state import State
from lockstep.facts.gang.keys import object_name, pod_gang_key
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for
from lockstep.report.status.events import owner_suspended
from lockstep.report.status.writer import StatusWriter
from lockstep.watch.pages import ListError, pages

# A conflict gives a newer version of the owner; more conflicts than this are no coincidence.
_MOST_CONFLICTS = 5
# So often it is listed again what has our mark, within a minute.
_LATER_LISTS = 6

log = logging.getLogger(__name__)


class Suspension(NamedTuple):
    """The owner that was suspended and resumed, such as ``Job heat``; or ``why_not``, as a clause."""

    owner: str = ""
    why_not: str = ""


class Suspensions:
    """At most one suspension for each Gang. A suspension goes on when the Gang is deleted."""

    def __init__(self, client: KubeClient, state: State, writer: StatusWriter) -> None:
        self._client = client
        self._state = state
        self._writer = writer
        self._tasks: dict[GangKey, asyncio.Task[Suspension]] = {}
        self._changed: dict[GangKey, asyncio.Event] = {}
        self._listing: asyncio.Task[None] | None = None
        self._is_ready = False
        # The kinds whose objects with our mark are known: the next process can find what is suspended of them.
        self._listed: set[SuspendableKind] = set()

    def begin(self) -> None:
        """Begin to resume what an earlier process has suspended."""
        if self._listing is None:
            self._listing = asyncio.create_task(self._resume_marked())

    def is_under_way(self, gang: GangKey) -> bool:
        """Whether the owner of the Gang's pods is suspended now, or may be."""
        return gang in self._tasks or not self._is_ready

    def wake(self, gang: GangKey) -> None:
        """The pods of the Gang have changed."""
        if gang in self._changed:
            self._changed[gang].set()

    async def suspend(self, gang: GangKey, uids: Collection[str], why: str) -> Suspension:
        """Suspend the owner of a Gang's pods until they are gone.

        ``uids`` is what these pods say of their owner; ``why`` is a sentence for it.
        """
        if gang not in self._tasks:
            self._begin(gang, self._suspend_patiently(gang, uids, why))
        return await asyncio.shield(self._tasks[gang])

    async def stop(self) -> None:
        """Stop: the next process resumes what is suspended."""
        tasks = [*self._tasks.values(), *([] if self._listing is None else [self._listing])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, gang: GangKey, work: Coroutine[Any, Any, Suspension]) -> None:
        self._changed[gang] = asyncio.Event()
        self._tasks[gang] = asyncio.create_task(self._run(gang, work))

    async def _run(self, gang: GangKey, work: Coroutine[Any, Any, Suspension]) -> Suspension:
        work_for(gang)
        try:
            return await work
        finally:
            del self._tasks[gang], self._changed[gang]
            self._state.changes.reconcile(gang)

    # Suspending

    async def _suspend_patiently(self, gang: GangKey, uids: Collection[str], why: str) -> Suspension:
        for tries in itertools.count():
            try:
                owner = await self._suspended(gang, uids, why)
                break
            except ApiUnavailableError as error:
                log.warning("the owner of its pods is not suspended yet: %s", error, extra=about(gang))
                await asyncio.sleep(pause_after(tries))
        if isinstance(owner, str):
            return Suspension(why_not=owner)
        return await self._until_resumed(gang, owner)

    async def _suspended(self, gang: GangKey, uids: Collection[str], why: str) -> TopOwner | str:
        """The owner, suspended with our mark; or a clause on why it is not."""
        for _ in range(_MOST_CONFLICTS):
            owner = await top_owner(self._client, gang, uids)
            if isinstance(owner, str) or suspended_for(owner.manifest) == object_name(gang):
                return owner
            why_not = await self._why_not(gang, owner)
            if why_not:
                return why_not
            answer = await self._client.patch(owner.target, owner.kind.suspension(owner.manifest, object_name(gang)))
            if answer.is_success:
                self._writer.post_about(owner.subject, owner_suspended(why), of=gang)
                return owner
            if answer.code != HTTPStatus.CONFLICT:
                return f"{owner} can't be suspended: {answer.message}"
        return "its owner changes all the time"

    async def _why_not(self, gang: GangKey, owner: TopOwner) -> str:
        """Why that owner is not to be suspended, as a clause; or ''."""
        if "deletionTimestamp" in owner.manifest["metadata"]:
            return f"{owner} is being deleted"
        if owner.kind.is_suspended(owner.manifest):
            return f"{owner} is suspended already"
        denied = "" if owner.kind in self._listed else await self._list_marked(owner.kind)
        if denied:
            return denied
        return "" if self._state.pod_gangs.group(gang).going else "its pods on nodes have gone meanwhile"

    # Resuming

    async def _resume_marked(self) -> None:
        """Find what has our mark. An API server that has just started denies every right for a while."""
        await self._list_all_marked()
        self._is_ready = True
        self._state.changes.reconcile(*self._state.pod_gangs.objects)
        for tries in range(_LATER_LISTS):
            await asyncio.sleep(pause_after(tries))
            await self._list_all_marked()

    async def _list_all_marked(self) -> None:
        """List the objects with our mark of every kind, but for those that are known or that we may not change."""
        for kind in kinds_above(self._state.sources):
            for tries in itertools.count():
                try:
                    if kind not in self._listed:
                        await self._list_marked(kind)
                    break
                except ApiUnavailableError:
                    await asyncio.sleep(pause_after(tries))

    async def _list_marked(self, kind: SuspendableKind) -> str:
        """Begin to resume the objects of a kind that have our mark; returns why we can't change these, or ''."""
        if not await self._may_patch(kind):
            return f"the operator may not patch {kind.plural}"
        try:
            async for page in pages(self._client, kind.everywhere(), selector=f"{SUSPENDED_LABEL}={SUSPENDED_BY}"):
                for item in page["items"] or ():
                    self._go_on(TopOwner(kind, {"metadata": item["metadata"]}))
        except ListError as error:
            return str(error)
        self._listed.add(kind)
        return ""

    async def _may_patch(self, kind: SuspendableKind) -> bool:
        """Whether we have the right to suspend. Not to have it is no trouble, so it is asked for by a review."""
        group = kind.api_version.partition("/")[0]
        review = own_access_review(verb="patch", group=group, resource=kind.plural, subresource="")
        answer = await self._client.review(paths.OWN_ACCESS_REVIEWS, review)
        return answer.is_success and is_allowed(answer.body)

    def _go_on(self, owner: TopOwner) -> None:
        name = suspended_for(owner.manifest)
        gang = pod_gang_key(owner.manifest["metadata"]["namespace"], name)
        if name and gang not in self._tasks:
            log.info("%s is still suspended, and is resumed when its pods are gone", owner, extra=about(gang))
            self._begin(gang, self._until_resumed(gang, owner))

    async def _until_resumed(self, gang: GangKey, owner: TopOwner) -> Suspension:
        """Resume the owner when no pod of the Gang is left, unless others have removed it or our mark."""
        for tries in itertools.count():
            await self._while_pods_stay(gang, pause_after(tries))
            with suppress(ApiUnavailableError):
                if await self._is_over(gang, owner):
                    break
            if not self._has_pods(gang):
                await asyncio.sleep(pause_after(tries))
        return Suspension(owner=str(owner))

    async def _while_pods_stay(self, gang: GangKey, seconds: float) -> None:
        """Wait until no pod of the Gang is left, for so long at most."""
        changed = self._changed[gang]
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._has_pods(gang):
                    changed.clear()
                    await changed.wait()

    def _has_pods(self, gang: GangKey) -> bool:
        """Whether a pod of the Gang waits, or is on a node and not being deleted."""
        group = self._state.pod_gangs.group(gang)
        return group.going + group.waiting > 0

    async def _is_over(self, gang: GangKey, owner: TopOwner) -> bool:
        """Resume the owner if that is due; returns whether nothing is left to do."""
        found = await self._client.get(owner.target)
        if not found.is_success:
            return found.code == HTTPStatus.NOT_FOUND
        if suspended_for(found.body) != object_name(gang):
            return True
        if self._has_pods(gang):
            return False
        answer = await self._client.patch(owner.target, owner.kind.resumption(found.body))
        if not answer.is_success:
            log.warning("%s can't be resumed: %s", owner, answer.message, extra=about(gang))
        return answer.is_success
