"""Reads the states of pieces from dealers every few seconds, and keeps them in ConfigMaps.

Each request has the ranks of all members. So a dealer knows which members have left, and which may still start.

A dealer is in a tenant's pod, and may be slow or send false states. It delays only gangs of its own namespace: no round
waits for another one. Each namespace has one request at a time. The longer its requests take, the longer the
namespace rests afterwards (``namespace_turns.py``). A dealer that does not answer is asked less and less often. Members
need no rights for this.
"""

import asyncio
import logging
import math
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.dealing.namespace_turns import NamespaceTurns
from lockstep.act.dealing.pieces_store import PiecesStore
from lockstep.act.requests.services import Services
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.dealer_requests import DealerClient
from lockstep.api.members.dealer import FIRST_RANK
from lockstep.api.membership import pod_name
from lockstep.facts.gang.dealing import DealingSpec
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.piece_states import bytes_of, check_bits
from lockstep.facts.pods.pod import PodKey, PodPhase
from lockstep.facts.ranks import format_ranks
from lockstep.logs.fields import about

_ROUND_SECONDS = 3.0
_LONGEST_REST_SECONDS = 60.0
_MOST_DOUBLINGS = 5
_GANGS_A_TURN = 200
# In seconds: the least time between two writes of one ConfigMap, and the additional time for each byte of its states.
# So 25 kB are written every 30 seconds at most.
_LEAST_WRITE_SECONDS = 5.0
_WRITE_SECONDS_PER_BYTE = 1e-3

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Contact:
    """The contact with a dealer. Times are monotonic. ``failures`` counts requests in a row without a usable answer."""

    key: str = ""
    failures: int = 0
    asked_at: float = -math.inf
    written_at: float = -math.inf
    written: bytes = b""

    def is_due(self, now: float) -> bool:
        """Whether to ask the dealer in this round. After failures it is asked more and more rarely."""
        rest = min(_ROUND_SECONDS * 2 ** min(self.failures, _MOST_DOUBLINGS), _LONGEST_REST_SECONDS)
        return not self.failures or now - self.asked_at >= rest


class _Target(NamedTuple):
    """A running dealer, of the present attempt of a gang. ``ranks`` has one bit for each rank."""

    gang: GangFact
    dealing: DealingSpec
    attempt: int
    pod_uid: str
    url: str
    ranks: int
    contact: _Contact

    @property
    def known_ranks(self) -> str:
        """The ranks of all members, formatted for the dealer."""
        return format_ranks(self.ranks)


class DealerReads:
    """Reads the dealers of gangs that hold nodes."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._state = services.state
        self._contacts: dict[str, _Contact] = {}
        self._turns = NamespaceTurns(services.monotonic)

    async def keep_read(self) -> None:
        """Read dealers until cancelled."""
        async with DealerClient() as client:
            await self.keep_read_by(client)

    async def keep_read_by(self, client: DealerClient) -> None:
        """Begin a round every few seconds, whether earlier ones have ended or not."""
        async with asyncio.TaskGroup() as rounds:
            while True:
                rounds.create_task(self.read_all(client))
                await asyncio.sleep(_ROUND_SECONDS)

    async def read_all(self, client: DealerClient) -> None:
        """Read each dealer that is due. In each namespace the dealer that was not read for longest comes first.

        A namespace is left to a later round while it rests, or while an earlier round still reads its dealers.
        """
        targets = [target async for target in self._targets()]
        self._contacts = {one.pod_uid: one.contact for one in targets}
        self._state.pieces.keep_only(self._may_go_on)
        self._turns.forget_rested()
        by_namespace: defaultdict[str, list[_Target]] = defaultdict(list)
        for one in sorted(targets, key=lambda one: one.contact.asked_at):
            by_namespace[one.gang.key.namespace].append(one)
        due = [(name, ones) for name, ones in by_namespace.items() if self._turns.may_begin(name)]
        await asyncio.gather(*(self._read_in_turn(client, name, ones) for name, ones in due))

    async def _targets(self) -> AsyncIterator[_Target]:
        for number, reservation in enumerate([*self._state.reservations.values()]):
            if number % _GANGS_A_TURN == 0:
                await asyncio.sleep(0)
            gang = self._state.gangs.get(reservation.gang)
            if gang is None or gang.dealing is None:
                continue
            first = PodKey(gang.key.namespace, pod_name(gang.key.name, reservation.attempt, FIRST_RANK))
            pod = self._state.members(gang).get(first)
            if pod is not None and pod.dealer is not None and pod.dealer.url and pod.phase is PodPhase.RUNNING:
                dealing, ranks = gang.dealing, reservation.rank_bits
                contact = self._contacts.get(pod.uid) or _Contact()
                yield _Target(gang, dealing, reservation.attempt, pod.uid, pod.dealer.url, ranks, contact)

    def _may_go_on(self, key: GangKey) -> bool:
        """Whether the gang exists and has not ended, so that a later attempt may need the states that were read."""
        gang = self._state.gangs.get(key)
        return gang is not None and gang.status.end is None

    async def _read_in_turn(self, client: DealerClient, namespace: str, targets: Iterable[_Target]) -> None:
        """Read dealers of one namespace. After some seconds, the others are left to its next turn."""
        async with self._turns.turn(namespace):
            until = self._services.monotonic() + _ROUND_SECONDS
            for target in targets:
                now = self._services.monotonic()
                if now >= until:
                    return
                if target.contact.is_due(now):
                    await self._read(client, target)

    async def _read(self, client: DealerClient, target: _Target) -> None:
        contact = target.contact
        contact.asked_at = self._services.monotonic()
        contact.failures += 1
        try:
            bits = await self._bits(client, target, contact)
            if bits is not None:
                contact.failures = 0
                await self._keep(target, contact, self._state.pieces.record(target.gang, bits))
        except ApiUnavailableError as error:
            log.warning("the states of the gang's pieces were not saved: %s", error, extra=about(target.gang.key))
        except Exception:
            # The dealers of other gangs are still read.
            log.exception("the dealer of the gang's pieces could not be read", extra=about(target.gang.key))

    async def _bits(self, client: DealerClient, target: _Target, contact: _Contact) -> bytes | None:
        """The states that the dealer sends; None if they are missing or invalid, or if the attempt has no key yet."""
        if not contact.key:
            kept = await self._store(target).read()
            contact.key, contact.written = kept.key, kept.bits
            self._state.pieces.record(target.gang, kept.bits)
        if not contact.key:
            return None
        most = bytes_of(target.dealing.pieces)
        bits = await client.states(target.url, contact.key, most_bytes=most, ranks=target.known_ranks)
        try:
            check_bits(bits or b"", target.dealing.pieces)
        except ValueError:
            return None
        return bits

    async def _keep(self, target: _Target, contact: _Contact, known: bytes) -> None:
        """Write the known states to the ConfigMap, if they have changed and the last write is old enough."""
        now = self._services.monotonic()
        rest = _LEAST_WRITE_SECONDS + _WRITE_SECONDS_PER_BYTE * len(known)
        if known == contact.written or now - contact.written_at < rest:
            return
        contact.written_at = now
        if await self._store(target).write(known):
            contact.written = known

    def _store(self, target: _Target) -> PiecesStore:
        return PiecesStore(self._services.client, target.gang, target.dealing, target.attempt)
