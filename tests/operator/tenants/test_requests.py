"""What a caller reads where there is no answer now: nothing of the cluster's addresses."""

import logging
from unittest.mock import Mock

import orjson
import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from lockstep.api.client.review import Caller
from lockstep.tenants.requests import TenantRequests
from lockstep.tenants.trouble import NoAnswerNowError, Trouble

pytestmark = pytest.mark.asyncio

ADDRESS = "https://10.20.30.40:6443"


class Front:
    """Believes every request to be Jane's."""

    def caller(self, names, headers):
        return Caller({"username": "jane"})


class Access:
    async def may_get(self, caller, asked):
        return True


class Plans:
    async def newest(self):
        raise NoAnswerNowError(Trouble.CLUSTER_UNREAD, f"The API server at {ADDRESS} does not answer.")


@pytest.fixture
def ask_queue():
    requests = TenantRequests(Front(), Access(), Plans(), lambda: 0.0)
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
