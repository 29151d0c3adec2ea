"""Sends ProvisioningRequests to a cluster autoscaler, for gangs that do not fit the existing nodes.

The module is level-triggered: every few seconds it compares the existing requests with the gangs' statuses. So after a
restart, the operator continues with the existing requests. A pause of a few seconds is short enough: autoscalers have
the same pauses, and new nodes take minutes.
"""

import asyncio
import logging
import math
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.capacity.asking_for_nodes import NodeAsker
from lockstep.act.requests.services import Services
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.cluster.node_request import GROUP_VERSION, KIND, parse_node_request
from lockstep.api.common_objects import owning_gang
from lockstep.api.names import GANG_LABEL
from lockstep.belief.gangs.phases import Phase
from lockstep.facts.cluster.node_request import NodeRequest, Stance, stance_on
from lockstep.facts.gang.gang import AcceptedGang, GangFact, Refusal
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.reasons import Condition, Reason
from lockstep.logs.fields import about
from lockstep.report.status.node_requests import mark_nodes_requested, mark_request_refused
from lockstep.report.status.writer import StatusReport
from lockstep.watch.pages import ListError, pages

_PAUSE_SECONDS = 5.0
# The pause after an error, and the shortest time between two requests for one gang.
_REST_SECONDS = 60.0
# In seconds. A request that has failed is replaced at this age.
_ASKED_AGAIN_SECONDS = 600.0
# In seconds. A request without a final answer gives its place at this age, if another gang needs the place.
_GIVES_PLACE_SECONDS = 3600.0
# The shortest time between two reports that differ only in the autoscaler's text.
_SAME_REASON_SECONDS = 60.0
# Autoscalers handle one request after the other, so this bounds how long one tenant delays the others.
_MOST_IN_A_NAMESPACE = 20
_GANGS_A_TURN = 200

Mark = Callable[[GangFact], GangStatus]

log = logging.getLogger(__name__)


class _AskedGang(NamedTuple):
    """The version of a gang that a request is for.

    Another generation, or a later gang of the same name, may need other nodes.
    """

    gang: GangKey
    uid: str
    generation: int


@dataclass(slots=True)
class _RequestHistory:
    """When a gang may get its next request, and when its status was last written; both times are monotonic."""

    rests_until: float = -math.inf
    refusal: str = ""
    reported_at: float = -math.inf


class NodeRequests:
    """Keeps one request for each gang that needs nodes, and none for any other."""

    def __init__(self, services: Services, provisioning_class: str) -> None:
        self._client = services.client
        self._state = services.state
        self._writer = services.writer
        self._now = services.now
        self._monotonic = services.monotonic
        self._asker = NodeAsker(services.client, provisioning_class)
        self._memory: dict[_AskedGang, _RequestHistory] = {}
        # Requests may be left from before a restart.
        self._may_be_there = True
        self._trouble = ""
        self._rests_until = -math.inf

    async def keep_asked(self) -> None:
        """Reconcile every few seconds, until cancelled. Errors affect only these requests."""
        while True:
            with _guarded("compared with the gangs"):
                await self._reconcile()
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _reconcile(self) -> None:
        """Compare existing requests with needed ones."""
        asking = await self._asking()
        asked = {_AskedGang(gang.key, gang.uid, gang.generation) for gang in asking.values()}
        self._memory = {one: memory for one, memory in self._memory.items() if one in asked}
        if self._is_due(asking):
            there = await self._requests()
            if there is not None:
                await self._compare(asking, there)
        if self._trouble:
            async for gang in _in_turns(asking.values()):
                self._report(gang, Reason.REQUEST_REFUSED, self._refused(self._trouble))

    async def _compare(self, asking: Mapping[GangKey, AcceptedGang], there: Collection[NodeRequest]) -> None:
        crowded = _crowded(asking, [request.gang for request in there])
        standing = [request for request in there if not await self._is_withdrawn(request, crowded)]
        await self._ask_for_others(asking, standing)
        for request in standing:
            if request.gang in asking:
                with _guarded("reported", request.gang):
                    self._report_request(asking[request.gang], request)

    async def _asking(self) -> dict[GangKey, AcceptedGang]:
        """The gangs that need nodes which do not exist."""
        gangs = _in_turns(tuple(self._state.gangs.values()))
        return {gang.key: gang async for gang in gangs if isinstance(gang, AcceptedGang) and self._asks(gang)}

    def _asks(self, gang: GangFact) -> bool:
        with _guarded("checked", gang.key):
            # No nodes are requested for pods that others create: their templates are not known.
            return not is_pod_gang(gang.key) and self._stance(gang) is Stance.ASK
        return False

    def _is_due(self, asking: Collection[GangKey]) -> bool:
        return bool(asking or self._may_be_there) and self._rests_until <= self._monotonic()

    async def _requests(self) -> list[NodeRequest] | None:
        """The requests of all gangs; None if they can't be listed, which is logged once."""
        found: list[NodeRequest] = []
        try:
            async for page in pages(self._client, paths.ALL_NODE_REQUESTS, selector=GANG_LABEL):
                for item in page["items"]:
                    owner = owning_gang(item)
                    if owner is not None:
                        with _guarded("read", owner.gang):
                            found.append(parse_node_request(item, owner))
        except ListError as error:
            self._record_trouble(_message_of(error))
            return None
        self._record_trouble("")
        self._may_be_there = bool(found)
        return found

    def _record_trouble(self, trouble: str) -> None:
        if trouble:
            self._rests_until = self._monotonic() + _REST_SECONDS
        if trouble and trouble != self._trouble:
            log.warning("ProvisioningRequests can't be created: %s", trouble)
        self._trouble = trouble

    def _stance(self, gang: GangFact) -> Stance:
        """Whether the gang needs nodes that do not exist, according to its status."""
        phase, planned = self._state.phase_of(gang), gang.status.condition(Condition.PLANNED)
        if phase is Phase.RESERVED:
            return Stance.KEEP
        if not phase.is_planned:
            return Stance.WITHDRAW
        if planned is None or planned.observed_generation != gang.generation:
            return Stance.KEEP
        return stance_on(planned.reason)

    async def _is_withdrawn(self, request: NodeRequest, crowded: Collection[str]) -> bool:
        """Delete the request if it is no longer needed, or is spent. Returns False if the request is kept.

        In ``crowded`` namespaces, other gangs wait until a request gives its place.
        """
        with _guarded("deleted", request.gang):
            if self._is_needed(request) and not self._is_spent(request, crowded):
                return False
            refusal = await self._asker.withdraw(request)
            if refusal is not None:
                log.warning("%s", refusal.message, extra=about(request.gang))
        return True

    def _is_spent(self, request: NodeRequest, crowded: Collection[str]) -> bool:
        age = self._now() - request.created
        if request.answer.is_over:
            return age >= _ASKED_AGAIN_SECONDS
        return request.gang.namespace in crowded and age >= _GIVES_PLACE_SECONDS

    def _is_needed(self, request: NodeRequest) -> bool:
        gang = self._state.gangs.get(request.gang)
        is_its_own = gang is not None and gang.uid == request.gang_uid and self._asker.name_for(gang) == request.name
        return gang is not None and is_its_own and self._stance(gang) is not Stance.WITHDRAW

    async def _ask_for_others(self, asking: Mapping[GangKey, AcceptedGang], standing: Iterable[NodeRequest]) -> None:
        """Send requests for gangs without one.

        In each namespace, the gangs that were not asked for yet come first, then those that have rested for longest.
        Gangs that can never get nodes would otherwise keep all younger gangs of the namespace from being asked for.
        """
        asked = {request.gang for request in standing}
        room = Counter(key.namespace for key in asked)
        due: defaultdict[str, list[AcceptedGang]] = defaultdict(list)
        for gang in sorted(asking.values(), key=self._turn_of):
            namespace = gang.key.namespace
            has_room = room[namespace] < _MOST_IN_A_NAMESPACE
            if gang.key not in asked and has_room and self._history(gang).rests_until <= self._monotonic():
                room[namespace] += 1
                due[namespace].append(gang)
        await asyncio.gather(*(self._ask_in_turn(gangs) for gangs in due.values()))

    def _turn_of(self, gang: AcceptedGang) -> tuple[float, float, GangKey]:
        return self._history(gang).rests_until, gang.created, gang.key

    async def _ask_in_turn(self, gangs: Iterable[AcceptedGang]) -> None:
        """Send requests for gangs of one namespace. After 5 seconds, the other gangs are left to the next round."""
        until = self._monotonic() + _PAUSE_SECONDS
        for gang in gangs:
            if self._monotonic() >= until:
                return
            with _guarded("created", gang.key):
                await self._ask(gang)

    async def _ask(self, gang: AcceptedGang) -> None:
        memory = self._history(gang)
        memory.rests_until = self._monotonic() + _REST_SECONDS
        self._may_be_there = True
        made = await self._asker.ask(gang)
        if not isinstance(made, Refusal):
            self._report_request(gang, made)
            return
        if memory.refusal != made.message:
            log.warning("ProvisioningRequests can't be created: %s", made.message, extra=about(gang.key))
            memory.refusal = made.message
        self._report(gang, Reason.REQUEST_REFUSED, self._refused(made.message))

    def _report_request(self, gang: AcceptedGang, request: NodeRequest) -> None:
        members = sum(gang.fewest_to_start)
        mark = partial(mark_nodes_requested, members=members, request=request)
        self._report(gang, request.answer.reason, lambda known: mark(known, now=self._now()))

    def _refused(self, why: str) -> Mark:
        return lambda known: mark_request_refused(known, why, now=self._now())

    def _report(self, asked: GangFact, reason: Reason, mark: Mark) -> None:
        """Write the condition if it has changed.

        If only its text has changed, a later round writes it when the last report is old enough.
        """
        gang = self._state.gangs.get(asked.key)
        is_same = gang is not None and (gang.uid, gang.generation) == (asked.uid, asked.generation)
        if gang is None or not is_same or self._stance(gang) is not Stance.ASK:
            return
        memory, now = self._history(gang), self._monotonic()
        condition = gang.status.condition(Condition.NODES_REQUESTED)
        if condition is not None and condition.reason == reason and now < memory.reported_at + _SAME_REASON_SECONDS:
            return
        status = mark(gang)
        if status == gang.status or self._writer.report(gang, lambda: StatusReport(status=status)):
            memory.reported_at = now

    def _history(self, gang: GangFact) -> _RequestHistory:
        return self._memory.setdefault(_AskedGang(gang.key, gang.uid, gang.generation), _RequestHistory())


def _crowded(asking: Iterable[GangKey], asked: Collection[GangKey]) -> Collection[str]:
    """The namespaces that have as many requests as they may, and gangs that ask and have none."""
    there, requests = set(asked), Counter(gang.namespace for gang in asked)
    lacking = {gang.namespace for gang in asking if gang not in there}
    return {namespace for namespace in lacking if requests[namespace] >= _MOST_IN_A_NAMESPACE}


async def _in_turns(gangs: Iterable[GangFact]) -> AsyncIterator[GangFact]:
    """The gangs one by one. After each 200 gangs the event loop does other work."""
    for number, gang in enumerate(gangs):
        if number % _GANGS_A_TURN == 0:
            await asyncio.sleep(0)
        yield gang


@contextmanager
def _guarded(step: str, gang: GangKey | None = None) -> Iterator[None]:
    """Log an error of one gang's request, or of one round, and suppress it. ``step`` is a participle."""
    where = {} if gang is None else about(gang)
    try:
        yield
    except ApiUnavailableError as error:
        log.warning("the ProvisioningRequest could not be %s: %s", step, error, extra=where)
    except Exception:
        log.exception("the ProvisioningRequest could not be %s", step, extra=where)


def _message_of(error: ListError) -> str:
    if error.code == HTTPStatus.NOT_FOUND:
        return f"this cluster has no {KIND}s ({GROUP_VERSION})"
    return str(error)
