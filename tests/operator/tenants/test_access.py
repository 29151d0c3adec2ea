"""Who may get gangs is asked again after some seconds, and for each caller with all that is known of them."""

import pytest

from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.api.client.review import Caller
from lockstep.tenants.access import AccessReviews, Asked
from lockstep.tenants.trouble import NoAnswerNowError

pytestmark = pytest.mark.asyncio

JANE = Caller({"username": "jane", "groups": ["blue"], "extra": {}})
ASKED = Asked("gangjobs", "tenant", "mine")


class Reviewing:
    """An API server that allows what ``allowed`` names, by the user's name; keeps what it was asked."""

    def __init__(self):
        self.allowed, self.asked, self.fault = {"jane"}, [], None

    async def review(self, target, body):
        self.asked.append((target.resource, body["spec"]))
        if isinstance(self.fault, Exception):
            raise self.fault
        return self.fault or Answer(201, {"status": {"allowed": body["spec"]["user"] in self.allowed}})


@pytest.fixture
def api():
    return Reviewing()


@pytest.fixture
def access(api):
    api.now = 0.0
    return AccessReviews(api, lambda: api.now)


async def test_api_server_is_asked_about_the_caller_with_groups_and_the_gang_by_name(api, access):
    assert await access.may(JANE, ASKED)

    attributes = {
        "verb": "get",
        "group": "lockstep.dev",
        "resource": "gangjobs",
        "namespace": "tenant",
        "name": "mine",
    }
    spec = {"user": "jane", "groups": ["blue"], "extra": {}, "resourceAttributes": attributes}
    assert api.asked == [("subjectaccessreviews", spec)]


async def test_right_that_was_taken_away_counts_for_ten_seconds_at_most(api, access):
    assert await access.may(JANE, ASKED)
    api.allowed.clear()
    api.now = 9.9
    assert await access.may(JANE, ASKED)
    api.now = 10.0

    assert not await access.may(JANE, ASKED)


async def test_result_is_for_this_caller_in_these_groups_and_this_gang_alone(api, access):
    other_groups = Caller({**JANE.user, "groups": ["red"]})
    for caller, asked in [(JANE, ASKED), (other_groups, ASKED), (JANE, ASKED._replace(name="")), (JANE, ASKED)]:
        await access.may(caller, asked)

    assert len(api.asked) == 3
    assert not await access.may(Caller({"username": "joe"}), ASKED)


@pytest.mark.parametrize(
    "fault", [ApiUnavailableError("away"), Answer(403, {"message": "no right to ask"})], ids=["away", "refused"]
)
async def test_nothing_is_shown_where_the_api_server_does_not_say(api, access, fault):
    api.fault = fault

    with pytest.raises(NoAnswerNowError) as caught:
        await access.may(JANE, ASKED)
    assert caught.value.trouble == "The API server does not say who may read these gangs."
    api.fault = None
    assert await access.may(JANE, ASKED)
