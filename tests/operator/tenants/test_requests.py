"""What a caller reads where there is no answer: no address of the cluster, but what is wrong with a question."""

import asyncio
import logging
from unittest.mock import AsyncMock, Mock

import orjson
import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import make_mocked_request

from lockstep.api.client.review import Caller
from lockstep.tenants.history.histories import HistoryView
from lockstep.tenants.history.recorder_client import FoundHistory, HistoryRefusedError
from lockstep.tenants.in_flight import MOST_IN_FLIGHT_OF_PARTY
from lockstep.tenants.namespaces import NoNamespaceError, OwnNamespace
from lockstep.tenants.requests import PLANS_AT_ONCE, AskedOf, TenantRequests
from lockstep.tenants.supposing.coarse_plan import UnplannedError
from lockstep.tenants.trouble import NoAnswerNowError, Trouble
from served_routes import served_routes

pytestmark = pytest.mark.asyncio

ADDRESS = "https://10.20.30.40:6443"


class Front:
    """Believes every request to be Jane's."""

    def caller(self, names, headers):
        return Caller({"username": "jane"})


class Access:
    def __init__(self, *verbs):
        self.verbs = verbs

    async def may(self, caller, asked):
        return asked.verb in self.verbs


class Own:
    async def of(self, caller, namespace):
        return OwnNamespace(namespace, "uid", 0)


class Schema:
    async def newest(self):
        return {"type": "object", "required": ["size"]}


class Plans:
    async def of_namespace(self, own):
        raise NoAnswerNowError(Trouble.CLUSTER_UNREAD, f"The API server at {ADDRESS} does not answer.")

    async def plan_with(self, question, asker):
        raise UnplannedError(f"{asker.party} asks about {question.name}.")

    async def plan_with_sweep(self, question, asker):
        raise UnplannedError(f"{asker.party} asks about sweep {question.name}.")


@pytest.fixture
def ask_queue():
    requests = TenantRequests(Front(), AskedOf(Access("get"), Own(), Schema(), Schema(), Plans()), lambda: 0.0)
    path = "/apis/answers.lockstep.dev/v1alpha1/namespaces/tenant/queues/default"
    [route] = [one for one in requests.routes() if "/queues/" in getattr(one, "path", "")]

    async def ask() -> web.Response:
        info = {"namespace": "tenant", "name": "default"}
        without_certificate = Mock(get_extra_info=lambda *_: None)
        return await route.handler(make_mocked_request("GET", path, match_info=info, transport=without_certificate))

    return ask


async def test_refusal_has_no_address_and_the_log_has_it_once(ask_queue, caplog):
    caplog.set_level(logging.WARNING)

    answers = [await ask_queue() for _ in range(3)]

    for answer in answers:
        status = orjson.loads(answer.body)
        assert (answer.status, status["message"]) == (503, "The cluster can't be read now.")
        assert answer.headers["Retry-After"] == "5"
    assert [ADDRESS in one.message for one in caplog.records] == [True]


def question(body):
    info = {"namespace": "tenant"}
    without_certificate = Mock(get_extra_info=lambda *_: None)
    request = make_mocked_request("POST", "/plans", match_info=info, transport=without_certificate)
    request.read = AsyncMock(return_value=body)
    return request


def planner(*verbs):
    """Asks for a plan with a body, as a user who may use these verbs on GangJobs."""
    requests = TenantRequests(Front(), AskedOf(Access(*verbs), Own(), Schema(), Schema(), Plans()), lambda: 0.0)
    [route] = [one for one in requests.routes() if getattr(one, "path", "").endswith("/plans")]

    async def ask(body: bytes):
        answer = await route.handler(question(body))
        return answer.status, orjson.loads(answer.body)["message"]

    return ask


@pytest.mark.parametrize(
    ("body", "want"),
    [
        pytest.param(b"[]", "A plan needs metadata.name and spec.gangJobSpec.", id="a list"),
        pytest.param(b"{", "A plan needs metadata.name and spec.gangJobSpec.", id="no JSON"),
        pytest.param(b"[" * 100_000, "A plan needs metadata.name and spec.gangJobSpec.", id="deep"),
        pytest.param(
            b'{"metadata": {"name": "a/b"}, "spec": {"gangJobSpec": {}}}',
            "metadata.name is not a valid name.",
            id="no name",
        ),
        pytest.param(
            b'{"metadata": {"name": "a\\n2026 ERROR"}, "spec": {"gangJobSpec": {}}}',
            "metadata.name is not a valid name.",
            id="a name that would be a line of the log",
        ),
        pytest.param(
            b'{"metadata": {"name": "a"}, "spec": {"gangJobSpec": {}}}',
            "spec.gangJobSpec has no size.",
            id="against the schema",
        ),
        pytest.param(
            b'{"metadata": {"name": "a"}, "spec": {"gangJobSpec": {"size": 1}}}', "jane asks about a.", id="of sense"
        ),
    ],
)
async def test_question_of_no_sense_has_one_sentence(body, want):
    assert await planner("create")(body) == (422, want)


async def test_body_that_is_not_as_its_headers_say_is_the_fault_of_the_user_and_leaves_nothing_in_the_log(caplog):
    """Each such line would have a trace of calls, and users could fill the log."""
    async with served_plans() as port:
        answer = await posted(port, b"Connection: close\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc")
        await posted(port, b"Content-Length: 1000\r\n\r\nabc", leaves=True)

    assert b" 422 " in answer
    assert b"does not match its headers" in answer
    assert [one.message for one in caplog.records] == []


def served_plans():
    """The port at which questions of Jane are answered."""
    asked = AskedOf(Access("create"), Own(), Schema(), Schema(), Plans())
    return served_routes(TenantRequests(Front(), asked, lambda: 0.0).routes())


async def posted(port, rest, *, leaves=False):
    """The answer to a question; empty for a client that leaves."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST /apis/answers.lockstep.dev/v1alpha1/namespaces/tenant/plans HTTP/1.1\r\nHost: x\r\n" + rest)
    if leaves:
        writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer


async def test_plan_needs_the_right_to_create_gang_jobs():
    assert await planner("get")(b"{}") == (403, "jane may not create gangjobs in namespace tenant.")


async def test_user_who_asks_for_many_plans_is_put_off():
    ask = planner("get", "create")

    codes = [(await ask(b"{}"))[0] for _ in range(int(PLANS_AT_ONCE) + 1)]

    assert codes == [422] * int(PLANS_AT_ONCE) + [429]


@pytest.mark.parametrize(
    ("resource", "want"),
    [
        ("gangsweeps", (422, "jane asks about sweep s.")),
        ("gangjobs", (403, "jane may not create gangsweeps in namespace tenant.")),
    ],
)
async def test_plan_of_a_sweep_needs_the_right_to_create_sweeps(resource, want):
    class OfResource:
        async def may(self, caller, asked):
            return (asked.verb, asked.resource) == ("create", resource)

    requests = TenantRequests(Front(), AskedOf(OfResource(), Own(), Schema(), Schema(), Plans()), lambda: 0.0)
    [route] = [one for one in requests.routes() if getattr(one, "path", "").endswith("/sweepplans")]

    answer = await route.handler(question(b'{"metadata": {"name": "s"}, "spec": {"gangSweepSpec": {"size": 1}}}'))

    assert (answer.status, orjson.loads(answer.body)["message"]) == want


# What can't be done

VERSION = "/apis/answers.lockstep.dev/v1alpha1"


@pytest.mark.parametrize(
    ("method", "path", "want"),
    [
        ("GET", "/namespaces/tenant/queues", "The only verb of queues is get, with a namespace and a name."),
        ("GET", "/queues", "The only verb of queues is get, with a namespace and a name."),
        ("DELETE", "/namespaces/tenant/queues/default", "The only verb of queues is get"),
        ("PATCH", "/namespaces/tenant/gangjobexplanations/a/status", "The only verb of gangjobexplanations is get"),
        ("GET", "/namespaces/tenant/plans", "The only verb of plans is create"),
        ("GET", "/namespaces/tenant/sweepplans/a", "The only verb of sweepplans is create"),
        ("POST", "/plans", "The only verb of plans is create"),
        ("GET", "/namespaces/tenant/secrets", "There is no such resource."),
        ("GET", "/watch/namespaces/tenant/queues/default", "There is no such resource."),
    ],
)
async def test_verb_that_a_resource_does_not_have_is_refused_with_the_one_that_it_has(method, path, want):
    async with served_plans() as port, ClientSession(f"http://127.0.0.1:{port}") as session:
        answer = await session.request(method, f"{VERSION}{path}")
        status = await answer.json()

    assert status["message"].startswith(want)
    assert (answer.status, status["reason"]) == ((405, "MethodNotAllowed") if "verb" in want else (404, "NotFound"))


async def test_namespace_that_is_gone_is_not_found():
    class Gone:
        async def of(self, caller, namespace):
            raise NoNamespaceError(f"There is no namespace {namespace} now.")

    requests = TenantRequests(Front(), AskedOf(Access("get"), Gone(), Schema(), Schema(), Plans()), lambda: 0.0)
    [route] = [one for one in requests.routes() if getattr(one, "path", "").endswith("/queues/{name}")]
    request = Mock(match_info={"namespace": "tenant", "name": "default"}, headers={}, get_extra_info=lambda _: None)

    answer = await route.handler(request)

    assert (answer.status, orjson.loads(answer.body)["message"]) == (404, "There is no namespace tenant now.")


async def test_questions_of_one_user_that_wait_leave_places_for_others():
    begun = []

    class Slow:
        async def of_namespace(self, own):
            begun.append(own)
            await asyncio.Event().wait()

    class Named:
        """Believes the one header."""

        def caller(self, names, headers):
            return Caller({"username": dict(headers)["user"]})

    requests = TenantRequests(Named(), AskedOf(Access("get"), Own(), Schema(), Schema(), Slow()), lambda: 0.0)
    [route] = [one for one in requests.routes() if getattr(one, "path", "").endswith("/queues/{name}")]

    def ask(user):
        where = {"namespace": "tenant", "name": "default"}
        request = Mock(match_info=where, headers={"user": user}, get_extra_info=lambda _: None)
        return asyncio.create_task(route.handler(request))

    asking = [ask("jane") for _ in range(MOST_IN_FLIGHT_OF_PARTY)]
    await asyncio.sleep(0)

    assert (await ask("jane")).status == 429
    asking.append(ask("joe"))
    await asyncio.sleep(0)
    assert len(begun) == MOST_IN_FLIGHT_OF_PARTY + 1
    for one in asking:
        one.cancel()


# The record


class Kept:
    """Keeps what it is asked about the record, and has nothing on it."""

    def __init__(self):
        self.asked = []

    async def history(self, view, query, party):
        if "sort" in query:
            raise HistoryRefusedError("A history has no sort.")
        self.asked.append((view, dict(query), party))
        return FoundHistory(0, [], [], is_cut_off=False)


def historian(histories, *resources, name="default"):
    """Asks for a history, as a user who may get these resources."""

    class OfResources:
        async def may(self, caller, asked):
            return asked.verb == "get" and asked.namespace == "tenant" and asked.resource in resources

    requests = TenantRequests(
        Front(), AskedOf(OfResources(), Own(), Schema(), Schema(), Plans(), histories), lambda: 0.0
    )
    [route] = [one for one in requests.routes() if "/histories/" in getattr(one, "path", "")]

    async def ask(query="", namespace="tenant"):
        info = {"namespace": namespace, "name": name}
        without_certificate = Mock(get_extra_info=lambda *_: None)
        path = f"/histories/{name}{query}"
        answer = await route.handler(make_mocked_request("GET", path, match_info=info, transport=without_certificate))
        body = orjson.loads(answer.body)
        return answer.status, body.get("message", body["kind"])

    return ask


@pytest.mark.parametrize(("resources", "want"), [(("gangjobs",), False), (("gangjobs", "gangs"), True)])
async def test_history_has_the_kinds_of_gangs_that_the_user_may_get(resources, want):
    kept = Kept()

    assert await historian(kept, *resources)("?by=user&since=2026-11-01T00:00:00Z") == (200, "History")
    assert kept.asked == [
        (HistoryView("tenant", with_pod_gangs=want), {"by": "user", "since": "2026-11-01T00:00:00Z"}, "jane")
    ]


@pytest.mark.parametrize(
    ("histories", "namespace", "name", "query", "want"),
    [
        pytest.param(
            Kept(), "zebra", "default", "", (403, "jane may not get gangjobs of namespace zebra."), id="of others"
        ),
        pytest.param(Kept(), "tenant", "default", "?sort=1", (422, "A history has no sort."), id="nonsense"),
        pytest.param(
            Kept(),
            "tenant",
            "mine",
            "",
            (404, "There is no history mine: each namespace has one, default."),
            id="another name",
        ),
        pytest.param(
            None, "tenant", "default", "", (404, "The cluster keeps no record of gangs for tenants."), id="no recorder"
        ),
    ],
)
async def test_history_that_is_not_shown_has_a_sentence(histories, namespace, name, query, want):
    assert await historian(histories, "gangjobs", name=name)(query, namespace) == want


async def test_user_without_gang_jobs_reads_no_history():
    kept = Kept()

    assert (await historian(kept, "gangs")())[0] == 403
    assert kept.asked == []
