"""Creates the members that join a gang, beside the cycle: all of them, or none.

Running members are left alone. If one new member can't be created, the status says that no member joins. Members that
were created are then deleted, as pods without a reservation.
"""

import asyncio
import logging
from dataclasses import dataclass, field

from coschedule import GangKey
from lockstep.act.members.making import MemberMaking
from lockstep.act.requests.services import Services
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for
from lockstep.report.text.conflict_sentences import conflict_sentence

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Join:
    """The creation of members that join one gang. ``failure`` says why they were not all bound, or is None."""

    task: asyncio.Task[None] | None = None
    failure: Failure | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)


class Joins:
    """Creates the members that join gangs, with one task for each gang. After the task the gang is reconciled again."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._by_gang: dict[GangKey, _Join] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def make(self, gang: AcceptedGang, reservation: Reservation) -> None:
        """Begin to create the members that join. If that has already begun, report a change to its task."""
        known = self._by_gang.get(gang.key)
        if known is not None:
            known.changed.set()
            return
        join = self._by_gang[gang.key] = _Join()
        join.task = asyncio.create_task(self._make(gang, reservation, join))
        self._tasks.add(join.task)
        join.task.add_done_callback(self._tasks.discard)

    def failure(self, gang: GangKey) -> Failure | None:
        """Why the joining members were not all bound; None if there was no failure."""
        known = self._by_gang.get(gang)
        return None if known is None else known.failure

    def forget(self, gang: GangKey) -> None:
        """Create no more members of the gang. Requests that are under way may still be carried out."""
        known = self._by_gang.pop(gang, None)
        if known is not None and known.task is not None:
            known.task.cancel()

    async def stop(self) -> None:
        """Cancel all tasks. After a restart, the operator continues from the statuses."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _make(self, gang: AcceptedGang, reservation: Reservation, join: _Join) -> None:
        work_for(gang.key, reservation.attempt)
        newcomers = reservation.newcomers
        stay = self._services.window.stay(newcomers.size, self._services.state.priorities.of(gang) or 0)
        making = MemberMaking(self._services, gang, newcomers, among=reservation, stay=stay, changed=join.changed)
        try:
            await stay.enter()
            join.failure = self._no_longer_fits(gang, reservation) or await making.make(gang)
        except ApiUnavailableError as error:
            join.failure = Failure(reason=Reason.API_UNAVAILABLE, message=str(error))
        except Exception:
            log.exception("additional members of the gang could not be created", extra=about(gang.key))
            join.failure = Failure(reason=Reason.API_UNAVAILABLE, message="an error in the operator: see its log")
        finally:
            stay.leave()
        self._services.state.changes.reconcile(gang.key)

    def _no_longer_fits(self, gang: AcceptedGang, reservation: Reservation) -> Failure | None:
        """Why the reservation no longer fits; None if it fits.

        This is checked because the status may be old, or another client may have written it.
        """
        conflict = self._services.cutter.conflict(gang, reservation, self._services.now())
        if conflict is None:
            return None
        return Failure(reason=Reason.NO_LONGER_FITS, message=conflict_sentence(conflict).rstrip("."))
