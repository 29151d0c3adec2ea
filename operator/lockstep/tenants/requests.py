"""Answers requests of tenants: finds out who asks, and whether they may, and then gives the answer."""

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from aiohttp import web

from coschedule import GangKey
from lockstep.api.client.review import Caller
from lockstep.api.cluster.answers_service import ANSWERS_API
from lockstep.api.cluster.front_proxy import FrontProxy
from lockstep.api.names import GANGS, POD_GANGS, SWEEPS
from lockstep.facts.gang.keys import is_pod_gang, pod_gang_key
from lockstep.process.pages.allowances import Allowances
from lockstep.report.text.share_sentences import use_of_own_group
from lockstep.tenants.access import AccessReviews, Asked
from lockstep.tenants.callers import caller_of
from lockstep.tenants.described.group_pages import GroupPages
from lockstep.tenants.documents import (
    ONLY_ONE,
    AnswerKind,
    OwnQueue,
    explanation_object,
    history_object,
    plan_object,
    queue_object,
    sweep_plan_object,
    timeline_object,
)
from lockstep.tenants.explanation import Explanation
from lockstep.tenants.fair_turns import TooManyWaitError
from lockstep.tenants.history.histories import Histories, HistoryView
from lockstep.tenants.history.recorder_client import HistoryRefusedError
from lockstep.tenants.in_flight import QuestionsInFlight
from lockstep.tenants.namespaces import NoNamespaceError, OwnNamespaces
from lockstep.tenants.parties import party_of
from lockstep.tenants.responses import no_such_resource, refused, sent, shown, unauthorized
from lockstep.tenants.shared_plan import AskingUser, NamespaceView, SharedPlans
from lockstep.tenants.supposing.coarse_plan import UnplannedError
from lockstep.tenants.supposing.questions import MOST_BYTES, QuestionError, read_question
from lockstep.tenants.supposing.spec_schema import SpecSchema
from lockstep.tenants.trouble import NoAnswerNowError

# Each party may send ten requests at once, and then one a second. For plans, it may send three at once, and then one in
# ten seconds: plans cost more, and many plans would show what others do.
AT_ONCE = 10.0
A_SECOND = 1.0
PLANS_AT_ONCE = 3.0
PLANS_A_SECOND = 0.1
_BUSY_SECONDS = 5

_OF_NAMESPACE = f"/apis/{ANSWERS_API}/namespaces/{{namespace}}"

log = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.Response]]
_Answer = Callable[[Caller, str, str], Awaitable[web.Response]]
_PlanAnswer = Callable[[Caller, str, bytes], Awaitable[web.Response]]


class AskedOf(NamedTuple):
    """The sources of answers. Without ``histories``, there is no recorder."""

    access: AccessReviews
    namespaces: OwnNamespaces
    gang_jobs: SpecSchema
    sweeps: SpecSchema
    plans: SharedPlans
    histories: Histories | None = None


class TenantRequests:
    """Answers the requests that the API server forwards."""

    def __init__(self, front_proxy: FrontProxy, asked: AskedOf, monotonic: Callable[[], float]) -> None:
        self._front_proxy = front_proxy
        self._pages = GroupPages(front_proxy)
        self._access, self._namespaces, self._gang_jobs, self._sweeps, self._plans, self._histories = asked
        self._allowances = Allowances(monotonic, at_once=AT_ONCE, a_second=A_SECOND)
        self._plan_allowances = Allowances(monotonic, at_once=PLANS_AT_ONCE, a_second=PLANS_A_SECOND)
        self._in_flight = QuestionsInFlight()
        self._trouble = ""

    def routes(self) -> list[web.RouteDef]:
        """All that is served. A path without a route gets 401 or 404, as from the API server."""
        return [
            # For kubelets, which have no certificate.
            web.get("/healthz", _healthy),
            *self._pages.routes(),
            *self._answers(),
            *self._plan_answers(),
            # Last: each path has the first route that matches it.
            *self._pages.refusals(),
        ]

    def _answers(self) -> Iterator[web.RouteDef]:
        """Answers that callers get by a name."""
        answers: Mapping[AnswerKind, _Answer] = {
            AnswerKind.QUEUES: self._queue,
            AnswerKind.GANGJOB_EXPLANATIONS: partial(self._explanation, GangKey),
            AnswerKind.GANG_EXPLANATIONS: partial(self._explanation, pod_gang_key),
            AnswerKind.TIMELINES: self._timeline,
        }
        for kind, answer in answers.items():
            yield web.get(f"{_OF_NAMESPACE}/{kind}/{{name}}", self._answered(answer))
        yield web.get(f"{_OF_NAMESPACE}/{AnswerKind.HISTORIES}/{{name}}", self._of_record)

    def _plan_answers(self) -> Iterator[web.RouteDef]:
        """Answers to questions that callers post."""
        plans: Mapping[AnswerKind, _PlanAnswer] = {
            AnswerKind.PLANS: self._planned,
            AnswerKind.SWEEP_PLANS: self._planned_sweep,
        }
        for kind, answer in plans.items():
            yield web.post(f"{_OF_NAMESPACE}/{kind}", partial(self._plan, answer))

    def _answered(self, answer: _Answer) -> Handler:
        async def handle(request: web.Request) -> web.Response:
            caller = caller_of(self._front_proxy, request)
            if caller is None:
                return unauthorized()
            namespace, name = request.match_info["namespace"], request.match_info["name"]
            # Names of objects have no slash, but keys of gangs may have one.
            if "/" in namespace + name:
                return no_such_resource()
            if not self._allowances.take(party_of(caller)):
                return refused(429, "You ask too often: one request a second is answered.", seconds=1)
            return await self._or_put_off(request, party_of(caller), lambda: answer(caller, namespace, name))

        return handle

    async def _or_put_off(
        self, request: web.Request, party: str, answer: Callable[[], Awaitable[web.Response]]
    ) -> web.Response:
        """Send the answer, or return a refusal if there is no answer now."""
        try:
            with self._in_flight.one(party):
                return await sent(request, await answer())
        except TooManyWaitError:
            return refused(429, "Too many requests wait for an answer now.", seconds=_BUSY_SECONDS)
        except NoNamespaceError as error:
            return refused(404, str(error))
        except NoAnswerNowError as error:
            self._note(error)
            return refused(503, error.trouble, seconds=_BUSY_SECONDS)

    async def _of_record(self, request: web.Request) -> web.Response:
        return await self._answered(partial(self._history, request.query))(request)

    async def _plan(self, answer: _PlanAnswer, request: web.Request) -> web.Response:
        caller, namespace = caller_of(self._front_proxy, request), request.match_info["namespace"]
        if caller is None:
            return unauthorized()
        if not self._plan_allowances.take(party_of(caller)):
            return refused(429, "You ask for plans too often: one in ten seconds is answered.", seconds=10)

        async def read_and_answer() -> web.Response:
            return await answer(caller, namespace, await request.read())

        try:
            return await self._or_put_off(request, party_of(caller), read_and_answer)
        except web.HTTPRequestEntityTooLarge:
            return refused(422, f"A question has {MOST_BYTES} bytes at most.")
        except web.RequestPayloadError:
            return refused(422, "The body of the request does not match its headers.")
        except (QuestionError, UnplannedError) as error:
            return refused(422, str(error))

    async def _planned(self, caller: Caller, namespace: str, body: bytes) -> web.Response:
        if not await self._access.may(caller, Asked(GANGS, namespace, verb="create")):
            return _may_not_create(caller, GANGS, namespace)
        question = await read_question(self._gang_jobs, "gangJobSpec", namespace, body)
        shared, plan = await self._plans.plan_with(question, await self._asker(caller, namespace))
        if not await self._access.may(caller, Asked(GANGS, namespace)):
            plan = replace(plan, delays=())
        return shown(plan_object(plan, shared.others, shared.now), code=201)

    async def _planned_sweep(self, caller: Caller, namespace: str, body: bytes) -> web.Response:
        if not await self._access.may(caller, Asked(SWEEPS, namespace, verb="create")):
            return _may_not_create(caller, SWEEPS, namespace)
        question = await read_question(self._sweeps, "gangSweepSpec", namespace, body)
        shared, plan = await self._plans.plan_with_sweep(question, await self._asker(caller, namespace))
        if not await self._access.may(caller, Asked(GANGS, namespace)):
            plan = replace(plan, delays=())
        return shown(sweep_plan_object(plan, shared.others, shared.now), code=201)

    async def _queue(self, caller: Caller, namespace: str, name: str) -> web.Response:
        if not await self._access.may(caller, Asked(GANGS, namespace)):
            return _forbidden(caller, GANGS, namespace)
        if name != ONLY_ONE:
            return refused(404, f"There is no queue {name}: each namespace has one, {ONLY_ONE}.")
        seen = NamespaceView(namespace, await self._access.may(caller, Asked(POD_GANGS, namespace)))
        plan = await self._plans.of_namespace(await self._namespaces.of(caller, namespace))
        own = OwnQueue(
            running=[one for one in plan.running if seen.has(one.gang)],
            waiting=[one for one in plan.queue if seen.has(one.gang)],
        )
        use = use_of_own_group(plan.state.shares, namespace, plan.now)
        return shown(queue_object(namespace, own, plan.others, plan.now, use))

    async def _timeline(self, caller: Caller, namespace: str, name: str) -> web.Response:
        if not await self._access.may(caller, Asked(GANGS, namespace)):
            return _forbidden(caller, GANGS, namespace)
        if name != ONLY_ONE:
            return refused(404, f"There is no timeline {name}: each namespace has one, {ONLY_ONE}.")
        seen = NamespaceView(namespace, await self._access.may(caller, Asked(POD_GANGS, namespace)))
        plan, picture = await self._plans.timeline(seen, await self._asker(caller, namespace))
        return shown(timeline_object(namespace, picture, plan.others, plan.now))

    async def _history(self, query: Mapping[str, str], caller: Caller, namespace: str, name: str) -> web.Response:
        if not await self._access.may(caller, Asked(GANGS, namespace)):
            return _forbidden(caller, GANGS, namespace)
        if name != ONLY_ONE:
            return refused(404, f"There is no history {name}: each namespace has one, {ONLY_ONE}.")
        if self._histories is None:
            return refused(404, "The cluster keeps no record of gangs for tenants.")
        view = HistoryView(namespace, await self._access.may(caller, Asked(POD_GANGS, namespace)))
        try:
            found = await self._histories.history(view, query, party_of(caller))
        except HistoryRefusedError as error:
            return refused(422, str(error))
        return shown(history_object(namespace, found))

    async def _explanation(
        self, key_of: Callable[[str, str], GangKey], caller: Caller, namespace: str, name: str
    ) -> web.Response:
        gang = key_of(namespace, name)
        resource = POD_GANGS if is_pod_gang(gang) else GANGS
        if not await self._access.may(caller, Asked(resource, namespace, name)):
            return _forbidden(caller, resource, namespace)
        answer = await self._plans.explanation(gang, await self._asker(caller, namespace))
        if answer is None:
            return refused(404, f"There is no {name} among the {resource} of namespace {namespace}.")
        return shown(explanation_object(await self._seen(caller, answer)))

    async def _seen(self, caller: Caller, answer: Explanation) -> Explanation:
        """The explanation. A change that names a gang stays only if the caller may get all gangs of that kind."""
        if answer.plan is None:
            return answer
        kinds = {one.names for one in answer.plan.helps} - {""}
        unseen = {one for one in kinds if not await self._access.may(caller, Asked(one, answer.gang.namespace))}
        helps = tuple(one for one in answer.plan.helps if one.names not in unseen)
        return replace(answer, plan=replace(answer.plan, helps=helps))

    async def _asker(self, caller: Caller, namespace: str) -> AskingUser:
        return AskingUser(party_of(caller), await self._namespaces.of(caller, namespace))

    def _note(self, error: NoAnswerNowError) -> None:
        """Log why there is no answer, unless it is the same as the last time. Otherwise callers could fill the log."""
        if str(error) != self._trouble:
            self._trouble = str(error)
            log.warning("a question could not be answered: %s (%s)", error.trouble, error)


async def _healthy(_: web.Request) -> web.Response:
    return web.Response(text="ok\n")


def _forbidden(caller: Caller, resource: str, namespace: str) -> web.Response:
    return refused(403, f"{caller.name} may not get {resource} of namespace {namespace}.")


def _may_not_create(caller: Caller, resource: str, namespace: str) -> web.Response:
    return refused(403, f"{caller.name} may not create {resource} in namespace {namespace}.")
