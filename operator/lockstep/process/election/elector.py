"""Takes the lease, renews it and gives it back. The fence is open only while the lease is certainly held.

Field names, transitions and times are those of client-go, with one difference. If the lease is missing, or if another
client than the holder has emptied it, other processes wait before they take it (:mod:`.rival`). The holder fills an
emptied lease again. If the lease is missing, the holder stops leading.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus

from lockstep.api.client import paths
from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.fence import Fence
from lockstep.api.cluster.lease import Lease, LeaseHolder, given_back_lease, held_lease, new_lease, read_lease
from lockstep.process.election.notices import LeaseNotices
from lockstep.process.election.rival import Rival

log = logging.getLogger(__name__)


class LeaseLostError(Exception):
    """The process no longer leads, or is not sure of it; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ElectionTerms:
    """The lease, and its times in seconds: lease duration > renew deadline > retry period."""

    namespace: str
    name: str
    lease_duration: float
    renew_deadline: float
    retry_period: float


class Elector:
    """Takes part in the election as ``holder``.

    ``now`` returns the time of day; this time is written to the lease, but never compared. ``client`` is for requests
    about the lease only, and ``fence`` does not block it.
    """

    def __init__(
        self, client: KubeClient, fence: Fence, terms: ElectionTerms, *, holder: LeaseHolder, now: Callable[[], float]
    ) -> None:
        self._client = client
        self._fence = fence
        self._terms = terms
        self._holder = holder
        self._now = now
        self._target = paths.lease(terms.namespace, terms.name)
        self._notices = LeaseNotices(client, terms.namespace, terms.name, identity=holder.name)
        self._held: Lease | None = None
        self._trouble = ""

    async def win(self) -> None:
        """Return when this process holds the lease and the fence is open."""
        rival = Rival(seconds=self._terms.lease_duration)
        async with self._notices.coming():
            while not await self._try_to_win(rival):
                left = rival.seconds_left(Fence.now()) or self._terms.retry_period
                await self._notices.wait(at_most_seconds=min(left, self._terms.retry_period))
        log.info(
            "this process leads: %s holds the lease %s/%s", self._holder.name, self._terms.namespace, self._terms.name
        )

    async def hold(self) -> None:
        """Renew the lease until it is lost, then close the fence and raise ``LeaseLostError``."""
        try:
            async with self._notices.coming():
                while True:
                    await self._notices.wait(at_most_seconds=self._terms.retry_period)
                    while not await self._renew():
                        pass
        finally:
            self._fence.close()

    async def give_back(self) -> None:
        """Release the lease, so that the next process leads at once. Call this only after the last write has ended."""
        held, self._held = self._held, None
        while held is not None:
            body = given_back_lease(held, self._holder, now=self._now())
            answer = await self._ask(self._client.replace(self._target, body))
            if answer is None or answer.code != HTTPStatus.CONFLICT:
                return
            # An earlier renewal may have succeeded although its answer was lost.
            there = await self._still_ours(held)
            # If the lease can't be read, it ends after its duration.
            held = None if there is held else there

    # Winning

    async def _try_to_win(self, rival: Rival) -> bool:
        answer = await self._ask(self._client.get(self._target))
        if answer is None or not (answer.is_success or answer.is_absence):
            return False
        lease = read_lease(answer.body) if answer.is_success else None
        rival.see(lease, Fence.now())
        # The lease is ours already if an earlier try succeeded and its answer was lost.
        is_mine = lease is not None and lease.holder == self._holder.name
        return (is_mine or not rival.seconds_left(Fence.now())) and await self._take(lease)

    async def _take(self, lease: Lease | None) -> bool:
        sent_at = Fence.now()
        answer = await self._ask(self._create() if lease is None else self._put(lease))
        if answer is None or not answer.is_success:
            return False
        self._now_held(answer, sent_at)
        return True

    # Holding

    async def _renew(self) -> bool:
        """Renew once; returns False if the next try is due at once, and True otherwise.

        An error before the renew deadline is no loss of the lease. Raises ``LeaseLostError``.
        """
        held = self._held
        assert held is not None, "only what was won is renewed"
        if not self._fence.is_open:
            why = f": {self._trouble}" if self._trouble else ""
            self._lose(f"it could not be renewed within {self._terms.renew_deadline:g} s{why}")
        sent_at = Fence.now()
        answer = await self._ask(self._put(held))
        if answer is not None and answer.is_success:
            self._now_held(answer, sent_at)
        if answer is None or not answer.is_gone_or_changed:
            return True
        self._held = await self._still_ours(held)
        if self._held is None:
            self._lose("another process has taken it, or it was deleted")
        # If the lease can't be read, the next try comes after a pause.
        return self._held is held

    async def _still_ours(self, held: Lease) -> Lease | None:
        """The lease as it is now; ``held`` if the lease can't be read.

        Returns None if another process has taken the lease, or if the lease is missing. An emptied lease is still ours:
        other processes do not take it before a lease duration is over.
        """
        answer = await self._ask(self._client.get(self._target))
        if answer is None or not (answer.is_success or answer.is_absence):
            return held
        lease = read_lease(answer.body) if answer.is_success else None
        return lease if lease is not None and lease.holder in ("", self._holder.name) else None

    def _now_held(self, answer: Answer, sent_at: float) -> None:
        """Record the lease as held, and keep the fence open until the renew deadline.

        The deadline counts from the time before the request was sent: other processes observe the renewal later than
        that.
        """
        self._held = read_lease(answer.body)
        self._fence.open_until(sent_at + self._terms.renew_deadline)

    def _lose(self, why: str) -> None:
        self._fence.close()
        self._held = None
        raise LeaseLostError(f"lost the lease {self._terms.namespace}/{self._terms.name}: {why}")

    # Requests

    def _create(self) -> Awaitable[Answer]:
        terms = self._terms
        body = new_lease(terms.namespace, terms.name, self._holder, seconds=terms.lease_duration, now=self._now())
        return self._client.create(paths.leases_of(terms.namespace), body)

    def _put(self, lease: Lease) -> Awaitable[Answer]:
        body = held_lease(lease, self._holder, seconds=self._terms.lease_duration, now=self._now())
        return self._client.replace(self._target, body)

    async def _ask(self, request: Awaitable[Answer]) -> Answer | None:
        """The answer, or None if there is none within half the renew deadline, which leaves time for another try."""
        answer, trouble = None, ""
        seconds = self._terms.renew_deadline / 2
        try:
            async with asyncio.timeout(seconds):
                answer = await request
        except ApiUnavailableError as error:
            trouble = str(error)
        except TimeoutError:
            trouble = self._client.credentials.trouble or f"no answer within {seconds:g} s"
        if answer is not None and not answer.is_success and not answer.is_gone_or_changed:
            trouble = answer.message
        self._note(trouble)
        return answer

    def _note(self, trouble: str) -> None:
        """Log an error with the lease, unless it is the same as the last one."""
        if trouble and trouble != self._trouble:
            log.warning("lease %s/%s: %s", self._terms.namespace, self._terms.name, trouble)
        self._trouble = trouble
