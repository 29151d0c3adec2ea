"""Resumes an owner that the operator has suspended, after its pods have left. It does not revert what others change."""

import asyncio
import itertools
import logging
from collections.abc import Callable, Collection
from http import HTTPStatus
from typing import NamedTuple

from lockstep.act.suspending.departure import Departure
from lockstep.act.suspending.top_owner import TopOwner
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.pauses import pause_after
from lockstep.api.manifest import Manifest
from lockstep.api.names import SUSPENDED_FOR_ANNOTATION, SUSPENDED_LABEL
from lockstep.api.podgang.sizing.sized_kind import gets_size_anew
from lockstep.api.suspending.suspendable import suspended_for, unmarking
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.source import Source
from lockstep.logs.fields import about
from lockstep.report.status.events import owner_not_resumed
from lockstep.report.status.writer import StatusWriter

log = logging.getLogger(__name__)


class Suspension(NamedTuple):
    """The owner that was suspended and resumed, such as ``Job heat``; or ``why_not``, as a clause.

    If the owner ``was_suspended`` and there is a ``why_not``, others have decided otherwise, or the suspension did not
    help. Then it is not tried again.
    """

    owner: str = ""
    why_not: str = ""
    was_suspended: bool = False


class Resumption:
    """Resumes the owner of one Gang's pods.

    ``refused`` is called once if the API server refuses to resume the owner. At this time the pods are gone, or ten
    minutes are over.

    ``sources`` are those of the operator. If the operator has chosen the owner's size, the owner stays suspended, and
    waits for another size.
    """

    def __init__(
        self,
        client: KubeClient,
        writer: StatusWriter,
        sources: Collection[Source],
        owner: TopOwner,
        departure: Departure,
        refused: Callable[[Suspension], None],
    ) -> None:
        self._client = client
        self._writer = writer
        self._sources = sources
        self._gang = departure.gang
        self._owner = owner
        self._departure = departure
        self._refused = refused
        self._is_refusal_reported = False
        self._is_mark_missed = False

    async def run(self) -> Suspension:
        """Resume the owner when its pods have left, or after ten minutes.

        If others have deleted or changed it, or removed our mark, it is left as it is. Returns the result.
        """
        for tries in itertools.count():
            await self._departure.wait(pause_after(tries))
            suspension = await self._try()
            if suspension is not None:
                return suspension
            if self._departure.is_over:
                await asyncio.sleep(pause_after(tries))
        raise AssertionError("there is no last try")

    async def _try(self) -> Suspension | None:
        """Resume the owner if that is due. Returns None if something is left to do."""
        try:
            return await self._resumed()
        except ApiUnavailableError:
            pass
        except Exception:
            # Otherwise the owner would stay suspended.
            log.exception("%s can't be resumed yet", self._owner, extra=about(self._gang))
        return None

    async def _resumed(self) -> Suspension | None:
        answer = await self._client.get(self._owner.target)
        if not answer.is_success:
            is_gone = answer.is_absence
            return Suspension(why_not=f"{self._owner} is gone") if is_gone else None
        if suspended_for(answer.body) != object_name(self._gang):
            return self._without_mark()
        self._is_mark_missed = False
        others = self._set_by_others(answer.body)
        if others:
            return await self._leave(answer.body, others)
        return await self._resume(answer.body) if self._departure.is_over else None

    def _without_mark(self) -> Suspension | None:
        """The end of the suspension, after two answers in a row have no mark. One answer may be out of date."""
        if self._is_mark_missed:
            marks = f"{SUSPENDED_LABEL} or {SUSPENDED_FOR_ANNOTATION}"
            return _in_vain(f"{self._owner} was suspended, and another program has changed its {marks}")
        self._is_mark_missed = True
        return None

    def _set_by_others(self, found: Manifest) -> str:
        """What others have changed since the owner was suspended, as a clause; or ''.

        If another program has suspended the owner too, it also wants the pods to leave. So the clause names the
        other program only after the pods have left.
        """
        if not self._owner.kind.is_suspended(found):
            return f"{self._owner} was suspended, and another program has resumed it"
        is_theirs = self._departure.is_over and self._owner.kind.is_set_by_others(found)
        return f"another program has suspended {self._owner} too" if is_theirs else ""

    async def _leave(self, found: Manifest, why: str) -> Suspension | None:
        """Remove our mark, and leave the owner as others have set it. Returns None if that failed."""
        answer = await self._client.patch(self._owner.target, unmarking(found))
        return _in_vain(why) if answer.is_success else None

    async def _resume(self, found: Manifest) -> Suspension | None:
        kind = self._owner.kind
        gets_size = gets_size_anew(kind.api_version, kind.kind, found, self._sources)
        answer = await self._client.patch(self._owner.target, kind.resumption(found, gets_size=gets_size))
        if not answer.is_success:
            if answer.code != HTTPStatus.CONFLICT:
                self._report_refusal(answer.message)
            return None
        if self._departure.pods_stay:
            return _in_vain(f"{self._owner} was suspended for a while, but its pods stayed")
        return Suspension(owner=str(self._owner))

    def _report_refusal(self, why: str) -> None:
        log.warning("%s can't be resumed: %s", self._owner, why, extra=about(self._gang))
        if not self._is_refusal_reported:
            self._is_refusal_reported = True
            self._refused(_in_vain(f"{self._owner} was suspended, and can't be resumed: {why}"))
            self._writer.post_about(self._owner.subject, owner_not_resumed(why), of=self._gang)


def _in_vain(why_not: str) -> Suspension:
    return Suspension(why_not=why_not, was_suspended=True)
