"""Suspends owners of pods, and resumes them after their pods are gone.

Their controllers count no failure, and create new pods. The mark of a suspension is written with it, on the owner
itself. So after a restart, the operator finds and resumes suspended owners, even if the Gang is gone.
"""

import asyncio
import itertools
import logging
from collections.abc import Callable, Collection, Coroutine, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

from coschedule import GangKey
from lockstep.act.suspending.departure import Departure
from lockstep.act.suspending.marked_owners import MarkedOwners
from lockstep.act.suspending.resumption import Resumption, Suspension
from lockstep.act.suspending.top_owner import TopOwner, top_owner
from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.pauses import pause_after
from lockstep.api.names import SUSPENDED_FOR_ANNOTATION, SUSPENDED_LABEL
from lockstep.api.podgang.owner_reader import OwnerReader
from lockstep.api.suspending.suspendable import suspended_for
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.belief.lost_nodes import LostNodes
from lockstep.belief.state import State
from lockstep.facts.gang.keys import object_name, pod_gang_key
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for
from lockstep.report.status.events import owner_suspended
from lockstep.report.status.writer import StatusWriter

# After a conflict, a newer version of the owner is read. More conflicts than this are no coincidence.
_MOST_CONFLICTS = 5
_CHANGES = "its owner keeps changing"

log = logging.getLogger(__name__)


class Suspensions:
    """Suspends owners: at most one suspension for each Gang. A suspension continues when the Gang is deleted."""

    def __init__(self, client: KubeClient, state: State, writer: StatusWriter, lost_nodes: LostNodes) -> None:
        self._client = client
        self._owners = OwnerReader(client)
        self._state = state
        self._lost_nodes = lost_nodes
        self._writer = writer
        self._tasks: dict[GangKey, asyncio.Task[None]] = {}
        self._outcomes: dict[GangKey, asyncio.Future[Suspension]] = {}
        self._departures: dict[GangKey, Departure] = {}
        self._marked = MarkedOwners(client, state, self._go_on)

    def begin(self) -> None:
        """Begin to resume owners that were suspended before a restart."""
        self._marked.begin()

    def is_under_way(self, gang: GangKey) -> bool:
        """Whether the owner of the Gang's pods is suspended now, or may be."""
        return gang in self._tasks or self._marked.may_have(gang)

    def wake(self, gang: GangKey) -> None:
        """Note that the pods of the Gang have changed."""
        if gang in self._departures:
            self._departures[gang].wake()

    async def suspend(
        self, gang: GangKey, uids: Collection[str], why: str, *, begun: Callable[[], None] = lambda: None
    ) -> Suspension:
        """Suspend the owner of a Gang's pods until they are gone.

        ``uids`` are the owner UIDs that these pods name. ``why`` is a clause for an event about the owner. ``begun`` is
        called after the owner is suspended. Returns when the owner is resumed, or when the operator can't resume it.
        Callers keep room for the new pods until then. If the owner stays suspended, no new pods come.
        """
        if gang not in self._tasks:
            self._begin(gang, lambda departure: self._suspend_patiently(gang, uids, why, departure, begun))
        return await asyncio.shield(self._outcomes[gang])

    async def why_not_whole(self, gang: GangKey, uids: Collection[str]) -> str:
        """Why the owner can't be suspended now, or would also lose other pods, as a clause; or ''.

        Nothing is changed: the suspension is sent as a dry run. Raises ``ApiUnavailableError``.
        """
        for _ in range(_MOST_CONFLICTS):
            owner = await top_owner(self._client, self._owners, gang, uids)
            if isinstance(owner, str):
                return owner
            why_not = _why_not_to_begin(owner) or await self._why_not(gang, owner)
            if why_not:
                return why_not
            answer = await self._client.dry_run_of_patch(owner.target, _suspension(gang, owner))
            if answer.code != HTTPStatus.CONFLICT:
                return _why_in_vain(owner, answer)
        return _CHANGES

    async def stop(self) -> None:
        """Stop. After a restart, the operator resumes suspended owners."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        await self._marked.stop()

    def _begin(self, gang: GangKey, work: Callable[[Departure], Coroutine[Any, Any, Suspension]]) -> None:
        departure = self._departures[gang] = Departure(self._state, self._lost_nodes, gang)
        outcome = self._outcomes[gang] = asyncio.get_running_loop().create_future()
        self._tasks[gang] = asyncio.create_task(self._run(gang, work(departure), outcome))
        self._state.pod_gangs.yielding.begin(gang)

    async def _run(
        self, gang: GangKey, work: Coroutine[Any, Any, Suspension], outcome: asyncio.Future[Suspension]
    ) -> None:
        work_for(gang)
        try:
            _set_outcome(outcome, await work)
        except Exception as error:
            # The callers that wait for the outcome must continue.
            log.exception("the owner of the gang's pods could not be suspended", extra=about(gang))
            _set_outcome(outcome, Suspension(why_not=f"its owner can't be understood: {describe(error)}"))
        finally:
            outcome.cancel()
            del self._tasks[gang], self._departures[gang], self._outcomes[gang]
            self._state.pod_gangs.yielding.end(gang)
            self._state.changes.reconcile(gang)

    def _go_on(self, owner: TopOwner) -> None:
        """Resume an object with our mark."""
        name = suspended_for(owner.manifest)
        gang = pod_gang_key(owner.manifest["metadata"]["namespace"], name)
        if name and gang not in self._tasks:
            log.info("%s is still suspended; it is resumed when its pods are gone", owner, extra=about(gang))
            self._begin(gang, lambda departure: self._resume(gang, owner, departure))

    async def _resume(self, gang: GangKey, owner: TopOwner, departure: Departure) -> Suspension:
        refused = partial(_set_outcome, self._outcomes[gang])
        sources = self._state.sources
        return await Resumption(self._client, self._writer, sources, owner, departure, refused).run()

    async def _suspend_patiently(
        self, gang: GangKey, uids: Collection[str], why: str, departure: Departure, begun: Callable[[], None]
    ) -> Suspension:
        for tries in itertools.count():
            try:
                owner = await self._suspended(gang, uids, why, departure)
                break
            except ApiUnavailableError as error:
                log.warning("the owner of the gang's pods is not suspended yet: %s", error, extra=about(gang))
                await asyncio.sleep(pause_after(tries))
        if isinstance(owner, str):
            return Suspension(why_not=owner)
        begun()
        return await self._resume(gang, owner, departure)

    async def _suspended(self, gang: GangKey, uids: Collection[str], why: str, departure: Departure) -> TopOwner | str:
        """The owner, suspended with our mark; or a clause that says why it is not."""
        for _ in range(_MOST_CONFLICTS):
            owner = await top_owner(self._client, self._owners, gang, uids)
            if isinstance(owner, str):
                return owner
            if owner.kind.is_suspended(owner.manifest):
                return await self._if_marked(gang, owner, departure)
            patch = _suspension(gang, owner)
            why_not = await self._why_not(gang, owner) or await self._why_unmarked(gang, owner, patch)
            if why_not:
                return why_not
            answer = await self._client.patch(owner.target, patch)
            if answer.is_success:
                self._writer.post_about(owner.subject, owner_suspended(why), of=gang)
                return owner
            if answer.code != HTTPStatus.CONFLICT:
                return _refused(owner, answer)
        return _CHANGES

    async def _if_marked(self, gang: GangKey, owner: TopOwner, departure: Departure) -> TopOwner | str:
        """The suspended owner if it has our mark. Its pods leave in any case.

        If another program has suspended it, wait until the pods have left, and return a clause that says so. The other
        program has to resume the owner.
        """
        if suspended_for(owner.manifest) == object_name(gang):
            return owner
        await departure.finish()
        return f"another program has suspended {owner}"

    async def _why_not(self, gang: GangKey, owner: TopOwner) -> str:
        """Why that owner must not be suspended, as a clause; or ''."""
        if "deletionTimestamp" in owner.manifest["metadata"]:
            return f"{owner} is being deleted"
        why_not = await self._marked.why_not_listed(owner.kind)
        if why_not:
            return why_not
        return "" if self._state.pod_gangs.group(gang).going else "its pods on nodes are already gone"

    async def _why_unmarked(self, gang: GangKey, owner: TopOwner, patch: Mapping[str, Any]) -> str:
        """Why the owner would not get our mark, as a clause; or ''.

        Then the operator could not resume it after a restart.

        Other obstacles are ignored here, because the answer to the patch itself shows them.
        """
        answer = await self._client.dry_run_of_patch(owner.target, patch)
        if not answer.is_success or suspended_for(answer.body) == object_name(gang):
            return ""
        return (
            f"{owner} can't be suspended: another program changes its {SUSPENDED_LABEL} or {SUSPENDED_FOR_ANNOTATION}"
        )


def _suspension(gang: GangKey, owner: TopOwner) -> dict[str, Any]:
    return owner.kind.suspension(owner.manifest, object_name(gang))


def _why_not_to_begin(owner: TopOwner) -> str:
    """Why an owner that can be suspended is left alone, as a clause; or ''."""
    if owner.has_other_pods:
        return f"{owner} has pods that do not belong to the Gang"
    return f"{owner} is suspended already" if owner.kind.is_suspended(owner.manifest) else ""


def _why_in_vain(owner: TopOwner, answer: Answer) -> str:
    """Why the suspension that was sent as a dry run would have no effect, as a clause; or ''."""
    if not answer.is_success:
        return _refused(owner, answer)
    return "" if owner.kind.is_suspended(answer.body) else f"another program would resume {owner} at once"


def _refused(owner: TopOwner, answer: Answer) -> str:
    return f"{owner} can't be suspended: {answer.message}"


def _set_outcome(outcome: asyncio.Future[Suspension], suspension: Suspension) -> None:
    if not outcome.done():
        outcome.set_result(suspension)
