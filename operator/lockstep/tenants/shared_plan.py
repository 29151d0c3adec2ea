"""The plan that all answers are made from: one at a time is made, kept for a while, and shared by all who ask."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from coschedule import GangKey
from lockstep.answers.plan.planned import AnsweredPlan, plan_now
from lockstep.answers.plan.rules import PlanRules
from lockstep.answers.queue.queue import Queued, queue_of
from lockstep.answers.reading.cluster import read_cluster
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.reading.operators_settings import UnknownSettingsError, read_settings
from lockstep.api.client.client import KubeClient
from lockstep.belief.state import State
from lockstep.tenants.explanation import Explanation, explain
from lockstep.tenants.others import OtherGangs, others_of

KEPT_SECONDS = 15.0
"""How long a plan is kept at least. One that took long is kept for ten times as long as that."""

_TIMES_AS_LONG = 10.0
_MOST_KEPT_SECONDS = 300.0
# So many who ask wait for their explanation at once, and so many of one namespace.
_MOST_WAITING, _MOST_OF_NAMESPACE = 32, 4

Options = Callable[[Mapping[str, str]], tuple[State, PlanRules]]
"""An empty cache and the rules of planning, by published settings. Raises ``ValueError`` for settings of no sense."""


class TooManyWaitError(Exception):
    """So many wait for an explanation that no more may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPlan:
    """The facts at ``now``, and the plan made from them. ``queue`` has the waiting gangs of all namespaces."""

    now: float
    state: State
    planned: AnsweredPlan
    queue: tuple[Queued, ...]
    others: OtherGangs
    explained: dict[GangKey, Explanation] = field(default_factory=dict)


async def make_shared_plan(client: KubeClient, place: str, options: Options, wall: Callable[[], float]) -> SharedPlan:
    """Read the cluster, and plan as the operator with the settings at ``place`` does. Raises ``AnswerError``."""
    try:
        state, rules = options(await read_settings(client, place))
    except (UnknownSettingsError, ValueError) as error:
        raise AnswerError(f"The operator's options are not known, since {error}.") from error
    await read_cluster(client, state, kind_read=lambda: None)
    return await asyncio.to_thread(_planned, state, rules, wall())


def _planned(state: State, rules: PlanRules, now: float) -> SharedPlan:
    planned = plan_now(state, rules, now, asked=())
    return SharedPlan(
        now=now,
        state=state,
        planned=planned,
        queue=tuple(queue_of(state.gangs.values(), now, are_all=True)),
        others=others_of(planned.made.decisions, planned.running, now),
    )


class SharedPlans:
    """Keeps the newest plan. ``make`` makes one, and may raise ``AnswerError``; then all who wait get that error."""

    def __init__(self, make: Callable[[], Awaitable[SharedPlan]], monotonic: Callable[[], float]) -> None:
        self._make = make
        self._monotonic = monotonic
        self._making: asyncio.Task[SharedPlan] | None = None
        self._kept_until = 0.0
        self._explaining = asyncio.Lock()
        self._waiting: dict[str, int] = {}
        self._turns: dict[str, asyncio.Lock] = {}

    async def newest(self) -> SharedPlan:
        """The plan that is kept, or a new one. Raises ``AnswerError``; an error is kept as a plan is."""
        if self._making is None or (self._making.done() and self._monotonic() >= self._kept_until):
            self._making = asyncio.create_task(self._made())
        return await asyncio.shield(self._making)

    async def explanation(self, gang: GangKey) -> Explanation | None:
        """The explanation of a gang; None if there is none of that key. One at a time is made.

        Raises ``AnswerError``, or ``TooManyWaitError``.
        """
        of_namespace = self._waiting.get(gang.namespace, 0)
        if sum(self._waiting.values()) >= _MOST_WAITING or of_namespace >= _MOST_OF_NAMESPACE:
            raise TooManyWaitError
        self._waiting[gang.namespace] = of_namespace + 1
        try:
            # Of each namespace only one waits among all: the others wait for each other.
            async with self._turns.setdefault(gang.namespace, asyncio.Lock()):
                return await self._explained(gang)
        finally:
            self._waiting[gang.namespace] -= 1
            if not self._waiting[gang.namespace]:
                del self._waiting[gang.namespace]
                del self._turns[gang.namespace]

    async def _explained(self, gang: GangKey) -> Explanation | None:
        async with self._explaining:
            shared = await self.newest()
            fact = shared.state.gangs.get(gang)
            if fact is None:
                return None
            if gang not in shared.explained:
                make = partial(explain, shared.state, shared.planned, shared.others, fact, shared.now)
                shared.explained[gang] = await asyncio.to_thread(make)
            return shared.explained[gang]

    async def _made(self) -> SharedPlan:
        begun = self._monotonic()
        try:
            return await self._make()
        finally:
            now = self._monotonic()
            as_long = min(_MOST_KEPT_SECONDS, _TIMES_AS_LONG * (now - begun))
            self._kept_until = now + max(KEPT_SECONDS, as_long)
