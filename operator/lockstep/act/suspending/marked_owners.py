"""Finds the objects that the operator suspended before a restart, by its mark on them."""

import asyncio
import itertools
from collections.abc import Callable
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.suspending.top_owner import TopOwner
from lockstep.api.client import paths
from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.pauses import pause_after
from lockstep.api.client.review import is_allowed, own_access_review
from lockstep.api.names import SUSPENDED_BY, SUSPENDED_LABEL
from lockstep.api.suspending.suspendable import SuspendableKind, kinds_above, sources_below
from lockstep.belief.state import State
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.source import maker_of
from lockstep.watch.pages import ListError, pages

# An API server that has just started denies every right for a while. So after a refusal, the right is requested again
# with the usual pauses, for a minute. After that, it is requested rarely: an owner would stay suspended for ever if the
# operator gets the right later.
_TRIES = 7
_RARE_PAUSE_SECONDS = 600.0
# A kind no longer delays any Gang after it is listed or refused, or after this number of tries without an answer. A
# denial of every right is no answer.
_TRIES_THAT_HOLD_UP = 4


class _Listing(NamedTuple):
    """``why_not`` says why a kind is not listed; '' if it is.

    ``is_denied`` says that we could not even ask for our right. This happens only while the API server starts: later,
    every process has the right to ask.
    """

    why_not: str = ""
    is_denied: bool = False


class MarkedOwners:
    """Lists the objects with our mark, all kinds at the same time. ``found`` is called with each object."""

    def __init__(self, client: KubeClient, state: State, found: Callable[[TopOwner], None]) -> None:
        self._client = client
        self._state = state
        self._found = found
        self._tasks: list[asyncio.Task[None]] | None = None
        # The kinds that no longer delay any Gang: their objects with our mark are known, or can't be listed.
        self._no_longer_awaited: set[SuspendableKind] = set()
        # The kinds whose objects with our mark were listed. Only owners of these kinds are suspended, because the
        # operator can list them again after a restart.
        self._listed: set[SuspendableKind] = set()

    def begin(self) -> None:
        """Begin to list all kinds."""
        if self._tasks is None:
            self._tasks = [asyncio.create_task(self._list_patiently(kind)) for kind in self._kinds()]

    def may_have(self, gang: GangKey) -> bool:
        """Whether the owner of the Gang's pods may have our mark.

        This is so while the operator still waits for the list of a kind to which the owner may belong.
        """
        named = maker_of(object_name(gang))
        return named is not None and not self._no_longer_awaited.issuperset(kinds_above((named[0],)))

    async def stop(self) -> None:
        """Stop listing."""
        for task in self._tasks or ():
            task.cancel()
        await asyncio.gather(*(self._tasks or ()), return_exceptions=True)

    async def why_not_listed(self, kind: SuspendableKind) -> str:
        """List the objects of a kind with our mark, unless that is done already. Returns why that failed, or ''."""
        return (await self._list(kind)).why_not

    def _kinds(self) -> list[SuspendableKind]:
        return kinds_above(self._state.sources)

    async def _list_patiently(self, kind: SuspendableKind) -> None:
        """List a kind. After refusals, and while the API server does not answer, it tries again until it succeeds."""
        refusals = 0
        for tries in itertools.count(1):
            try:
                listing = await self._list(kind)
                refusals += 1
                if not listing.is_denied:
                    self._stop_awaiting(kind)
                if not listing.why_not:
                    return
            except ApiUnavailableError:
                pass
            if tries >= _TRIES_THAT_HOLD_UP:
                self._stop_awaiting(kind)
            await asyncio.sleep(_RARE_PAUSE_SECONDS if refusals >= _TRIES else pause_after(tries - 1))

    async def _list(self, kind: SuspendableKind) -> _Listing:
        if kind in self._listed:
            return _Listing()
        review = await self._review(kind)
        if not (review.is_success and is_allowed(review.body)):
            return _Listing(f"the operator may not patch {kind.plural}", is_denied=review.is_about_access)
        try:
            async for page in pages(self._client, kind.everywhere(), selector=f"{SUSPENDED_LABEL}={SUSPENDED_BY}"):
                for item in page["items"] or ():
                    self._found(TopOwner(kind, {"metadata": item["metadata"]}))
        except ListError as error:
            return _Listing(str(error))
        self._listed.add(kind)
        # An owner that can't be found after a restart must not be suspended. This list shows that owners of this kind
        # can be found. So Gangs of these owners may be evicted from now on.
        self._state.pod_gangs.yielding.allow(*sources_below(kind, self._state.sources))
        return _Listing()

    def _stop_awaiting(self, kind: SuspendableKind) -> None:
        if kind not in self._no_longer_awaited:
            held_up = {gang for gang in self._state.pod_gangs.objects if self.may_have(gang)}
            self._no_longer_awaited.add(kind)
            self._state.changes.reconcile(*(gang for gang in held_up if not self.may_have(gang)))

    async def _review(self, kind: SuspendableKind) -> Answer:
        """Ask whether the operator may suspend this kind: it may have no such right."""
        group = kind.api_version.partition("/")[0]
        review = own_access_review(verb="patch", group=group, resource=kind.plural, subresource="")
        return await self._client.review(paths.OWN_ACCESS_REVIEWS, review)
