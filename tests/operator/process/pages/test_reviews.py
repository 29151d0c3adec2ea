"""Who may read the metrics, and how often the API server is asked about it."""

import asyncio

import pytest

from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.api.client.credentials import REFUSED, Credentials
from lockstep.process.pages.reviews import Reviews, Verdict

pytestmark = pytest.mark.asyncio

READER = {"username": "system:serviceaccount:monitoring:prometheus", "uid": "1", "groups": ["a"], "extra": {"b": ["c"]}}
OTHER = {"username": "somebody"}
HERE, ELSEWHERE = "10.0.0.1", "10.0.0.2"


class FakeApi:
    """Knows two tokens; the holder of the first may read the metrics. ``asked`` is what it was asked."""

    def __init__(self):
        self.users = {"reader": READER, "other": OTHER}
        self.asked = []
        self.fault = None
        self.credentials = Credentials()

    async def review(self, target, body):
        self.asked.append((target.resource, body["spec"]))
        await asyncio.sleep(0)
        if self.credentials.trouble:
            await asyncio.Event().wait()
        if isinstance(self.fault, Exception):
            raise self.fault
        if self.fault is not None:
            return self.fault
        if target.resource == "tokenreviews":
            user = self.users.get(body["spec"]["token"])
            return Answer(201, {"status": {"authenticated": True, "user": user} if user else {"error": "who?"}})
        return Answer(201, {"status": {"allowed": body["spec"]["user"] == READER["username"]}})

    def asked_about_tokens(self):
        return sum(resource == "tokenreviews" for resource, _ in self.asked)


class Clock:
    """A clock that the test moves."""

    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def api():
    return FakeApi()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def reviews(api, clock):
    return Reviews(api, path="/metrics", monotonic=clock)


@pytest.mark.parametrize(
    ("token", "want"),
    [
        pytest.param("reader", Verdict.ALLOWED, id="who may read the metrics"),
        pytest.param("other", Verdict.FORBIDDEN, id="who may not"),
        pytest.param("garbage", Verdict.UNKNOWN_TOKEN, id="a token of no user"),
    ],
)
async def test_verdict_of(reviews, token, want):
    assert await reviews.verdict(token, HERE) is want


async def test_right_is_asked_for_with_all_that_is_known_of_the_caller(reviews, api):
    await reviews.verdict("reader", HERE)

    want = {
        "user": READER["username"],
        "uid": "1",
        "groups": ["a"],
        "extra": {"b": ["c"]},
        "nonResourceAttributes": {"path": "/metrics", "verb": "get"},
    }
    assert api.asked == [("tokenreviews", {"token": "reader"}), ("subjectaccessreviews", want)]


@pytest.mark.parametrize(("token", "seconds"), [("reader", 60), ("other", 10), ("garbage", 10)])
async def test_answer_is_remembered_for_a_while(reviews, api, clock, token, seconds):
    before = await reviews.verdict(token, HERE)
    clock.now += seconds - 1
    assert await reviews.verdict(token, HERE) is before
    assert api.asked_about_tokens() == 1

    api.users = {}
    clock.now += 1

    assert await reviews.verdict(token, HERE) is Verdict.UNKNOWN_TOKEN
    assert api.asked_about_tokens() == 2


async def test_same_token_is_asked_about_once_at_a_time(reviews, api):
    verdicts = await asyncio.gather(*(reviews.verdict("reader", HERE) for _ in range(50)))

    assert set(verdicts) == {Verdict.ALLOWED}
    assert api.asked_about_tokens() == 1


async def test_flood_of_tokens_is_asked_about_slowly(reviews, api, clock):
    verdicts = [await reviews.verdict(f"garbage {number}", HERE) for number in range(1000)]

    assert verdicts.count(Verdict.TOO_MANY) == 980
    assert api.asked_about_tokens() == 20
    clock.now += 1
    verdicts = [await reviews.verdict(f"rubbish {number}", HERE) for number in range(1000)]
    assert verdicts.count(Verdict.UNKNOWN_TOKEN) == 5


async def test_flood_at_one_moment_keeps_few_requests_under_way(reviews, api):
    await asyncio.gather(*(reviews.verdict(f"garbage {number}", HERE) for number in range(1000)))

    assert api.asked_about_tokens() == 8


async def test_who_was_let_in_is_let_in_again_during_a_flood(reviews, clock):
    await reviews.verdict("reader", HERE)
    clock.now += 60
    while await reviews.verdict(f"garbage {clock.now}", HERE) is not Verdict.TOO_MANY:
        clock.now += 0.001

    assert await reviews.verdict("reader", HERE) is Verdict.ALLOWED


async def test_newcomer_from_another_address_is_let_in_during_a_flood(reviews):
    while await reviews.verdict(f"garbage {len(reviews._known)}", HERE) is not Verdict.TOO_MANY:
        pass

    assert await reviews.verdict("reader", HERE) is Verdict.TOO_MANY
    assert await reviews.verdict("reader", ELSEWHERE) is Verdict.ALLOWED


async def test_what_is_remembered_is_bounded(reviews, clock):
    for number in range(3000):
        clock.now += 1
        await reviews.verdict(f"garbage {number}", f"address {number}")

    assert len(reviews._known) == len(reviews._unknown_tokens._left) == 1024
    assert not reviews._under_way


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(ApiUnavailableError("POST tokenreviews: no answer"), id="no answer"),
        pytest.param(Answer(403, {"message": "lockstep cannot create that"}), id="the operator may not ask"),
    ],
)
async def test_trouble_refuses_every_user_and_is_logged_once(reviews, api, clock, caplog, fault):
    assert await reviews.verdict("reader", HERE) is Verdict.ALLOWED
    api.fault = fault
    clock.now += 60

    assert await reviews.verdict("reader", HERE) is Verdict.NOT_REVIEWED
    assert await reviews.verdict("garbage", HERE) is Verdict.NOT_REVIEWED
    [record] = caplog.records
    assert "no caller of /metrics can be authorized: " in record.getMessage()
    assert "garbage" not in caplog.text
    api.fault = None
    assert await reviews.verdict("reader", HERE) is Verdict.ALLOWED


async def test_no_request_waits_for_long_while_the_api_server_does_not_accept_our_own_token(reviews, api, caplog):
    api.credentials.trouble = REFUSED

    async with asyncio.timeout(60):
        assert await reviews.verdict("reader", HERE) is Verdict.NOT_REVIEWED

    assert [record.message.endswith(REFUSED) for record in caplog.records] == [True]
