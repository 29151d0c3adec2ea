"""The plan from which all answers are made. One plan at a time is made, kept for a while, and shared by all callers."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, TypeVar

from coschedule import GangKey
from lockstep.answers.plan.planned import AnsweredPlan, plan_now
from lockstep.answers.plan.rules import PlanRules
from lockstep.answers.queue.on_nodes import OnNodes, on_nodes_of
from lockstep.answers.queue.queue import Queued, queue_of
from lockstep.answers.reading.cluster import read_cluster
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.reading.operators_settings import read_settings
from lockstep.api.client.client import KubeClient
from lockstep.belief.state import State
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.report.timeline import draw, freeze
from lockstep.tenants.documents import Document
from lockstep.tenants.explanation import Explanation, explain
from lockstep.tenants.fair_turns import FairTurns
from lockstep.tenants.namespaces import OwnNamespace, read_uids
from lockstep.tenants.others import OtherGangs, others_of
from lockstep.tenants.supposing.coarse_plan import CoarsePlan, plan_with, suppose_gang_job
from lockstep.tenants.supposing.coarse_sweep import CoarseSweep, plan_with_sweep
from lockstep.tenants.supposing.questions import Question
from lockstep.tenants.trouble import NoAnswerNowError, Trouble

KEPT_SECONDS = 15.0
"""A plan is kept for at least this number of seconds.

If a plan took long to make, it is kept for ten times as long as it took, up to five minutes.
"""

_TIMES_AS_LONG = 10.0
_MOST_KEPT_SECONDS = 300.0
# The picture of 5,000 nodes may have a megabyte, so only a few pictures are kept.
_MOST_DRAWN = 16

_Made = TypeVar("_Made")

Options = Callable[[Mapping[str, str]], tuple[State, PlanRules]]
"""Makes an empty cache and the rules of planning from published settings.

Raises ``ValueError`` for invalid settings.
"""


class AskingUser(NamedTuple):
    """The party whose turn an answer takes, and the namespace that the answer is about."""

    party: str
    own: OwnNamespace


class NamespaceView(NamedTuple):
    """The gangs that a queue or a timeline names: those of a namespace, with or without its Gangs."""

    namespace: str
    with_pod_gangs: bool

    def has(self, gang: GangKey) -> bool:
        """Whether a queue or a timeline with this view names the gang."""
        return gang.namespace == self.namespace and (self.with_pod_gangs or not is_pod_gang(gang))


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPlan:
    """The facts at ``now``, and the plan made from them.

    ``running`` has the gangs of all namespaces that hold nodes, and ``queue`` the gangs that wait. ``namespaces`` has
    the UID of each namespace that existed during the whole time in which the facts were read.
    """

    now: float
    namespaces: Mapping[str, str]
    state: State
    rules: PlanRules
    planned: AnsweredPlan
    running: tuple[OnNodes, ...]
    queue: tuple[Queued, ...]
    others: OtherGangs
    explained: dict[GangKey, Explanation] = field(default_factory=dict)
    drawn: OrderedDict["NamespaceView", Document] = field(default_factory=OrderedDict)


async def make_shared_plan(client: KubeClient, place: str, options: Options, wall: Callable[[], float]) -> SharedPlan:
    """Read the cluster, and make a plan as the operator does. Raises ``NoAnswerNowError``.

    The operator's settings are read from the ConfigMap at ``place``.
    """
    try:
        state, rules = options(await read_settings(client, place))
    except (AnswerError, ValueError) as error:
        raise NoAnswerNowError(Trouble.OPTIONS_UNKNOWN, str(error)) from error
    before = await read_uids(client)
    try:
        await read_cluster(client, state, kind_read=lambda: None)
    except AnswerError as error:
        raise NoAnswerNowError(Trouble.CLUSTER_UNREAD, str(error)) from error
    namespaces = dict(before.items() & (await read_uids(client)).items())
    return await _in_thread(partial(_planned, state, rules, namespaces, wall()))


def _planned(state: State, rules: PlanRules, namespaces: Mapping[str, str], now: float) -> SharedPlan:
    planned = plan_now(state, rules, now, asked=())
    return SharedPlan(
        now=now,
        namespaces=namespaces,
        state=state,
        rules=rules,
        planned=planned,
        running=tuple(on_nodes_of(state.gangs.values(), now)),
        queue=tuple(queue_of(state.gangs.values(), now, are_all=True)),
        others=others_of(planned.made.decisions, planned.running, now),
    )


class SharedPlans:
    """Keeps the newest plan.

    ``make`` makes a plan. If it raises ``NoAnswerNowError``, all callers that wait get this error.
    """

    def __init__(self, make: Callable[[], Awaitable[SharedPlan]], monotonic: Callable[[], float]) -> None:
        self._make = make
        self._monotonic = monotonic
        self._making: asyncio.Task[SharedPlan] | None = None
        self._kept_until = 0.0
        self._turns = FairTurns()

    async def newest(self) -> SharedPlan:
        """The kept plan, or a new one. Raises ``NoAnswerNowError``; the error is kept as long as a plan."""
        if self._making is None or (self._making.done() and self._monotonic() >= self._kept_until):
            self._making = asyncio.create_task(self._made())
        return await asyncio.shield(self._making)

    async def of_namespace(self, own: OwnNamespace) -> SharedPlan:
        """The newest plan, if it was made from facts of this namespace and not of an earlier one with its name.

        Raises ``NoAnswerNowError``.
        """
        shared = await self.newest()
        if shared.namespaces.get(own.name) != own.uid:
            raise NoAnswerNowError(Trouble.NAMESPACE_NEWER, "the plan that is kept was made before this namespace")
        return shared

    async def explanation(self, gang: GangKey, asker: AskingUser) -> Explanation | None:
        """The explanation of a gang of the asker's namespace; None if no gang has that key.

        One explanation at a time is made. Raises ``NoAnswerNowError``, or ``TooManyWaitError``.
        """
        async with self._turns.turn(asker.party):
            shared = await self.of_namespace(asker.own)
            fact = shared.state.gangs.get(gang)
            if fact is None:
                return None
            if gang not in shared.explained:
                make = partial(explain, shared.state, shared.planned, shared.others, fact, shared.now)
                shared.explained[gang] = await _in_thread(make)
            return shared.explained[gang]

    async def plan_with(self, question: Question, asker: AskingUser) -> tuple[SharedPlan, CoarsePlan]:
        """The kept plan, and the coarse plan with a supposed GangJob. One such plan at a time is made.

        Raises ``UnplannedError``, ``NoAnswerNowError``, or ``TooManyWaitError``.
        """
        async with self._turns.turn(asker.party):
            shared = await self.of_namespace(asker.own)
            return shared, await _in_thread(partial(_plan_with, shared, question))

    async def plan_with_sweep(self, question: Question, asker: AskingUser) -> tuple[SharedPlan, CoarseSweep]:
        """The kept plan, and the coarse plan with the first runs of a supposed GangSweep.

        One such plan at a time is made. Raises ``UnplannedError``, ``NoAnswerNowError``, or ``TooManyWaitError``.
        """
        async with self._turns.turn(asker.party):
            shared = await self.of_namespace(asker.own)
            make = partial(plan_with_sweep, shared.state, shared.rules, shared.planned, question, shared.now)
            return shared, await _in_thread(make)

    async def timeline(self, seen: NamespaceView, asker: AskingUser) -> tuple[SharedPlan, Document]:
        """The kept plan, and the picture of its timeline that names only the gangs of the view.

        One picture at a time is drawn. Raises ``NoAnswerNowError``, or ``TooManyWaitError``.
        """
        async with self._turns.turn(asker.party):
            shared = await self.of_namespace(asker.own)
            if seen not in shared.drawn:
                shared.drawn[seen] = await _in_thread(partial(_picture, shared, seen))
            if len(shared.drawn) > _MOST_DRAWN:
                shared.drawn.popitem(last=False)
            return shared, shared.drawn[seen]

    async def _made(self) -> SharedPlan:
        begun = self._monotonic()
        try:
            return await self._make()
        finally:
            now = self._monotonic()
            as_long = min(_MOST_KEPT_SECONDS, _TIMES_AS_LONG * (now - begun))
            self._kept_until = now + max(KEPT_SECONDS, as_long)


def _plan_with(shared: SharedPlan, question: Question) -> CoarsePlan:
    gang = suppose_gang_job(shared.state, question, shared.now)
    return plan_with(shared.state, shared.rules, shared.planned, gang, shared.now)


def _picture(shared: SharedPlan, seen: NamespaceView) -> Document:
    facts = freeze(shared.state, shared.planned.made.decisions, planned_at=shared.now, now=shared.now)
    return draw(facts, seen.has)


async def _in_thread(make: Callable[[], _Made]) -> _Made:
    """The result of ``make``, which runs in a thread. Raises ``NoAnswerNowError`` if the planner fails."""
    try:
        return await asyncio.to_thread(make)
    except AnswerError as error:
        raise NoAnswerNowError(Trouble.PLAN_FAILED, str(error)) from error
