"""The timeline on the loopback of a tenant: under a path that no other user of the machine can guess."""

import http
from contextlib import asynccontextmanager

import aiohttp
import pytest

from lockstep.answers.reading.errors import AnswerError
from lockstep.tenants.commands.asking import NoAnswer
from lockstep.tenants.commands.timeline_page import TimelinePage, listen_on_loopback

pytestmark = pytest.mark.asyncio

ANSWER = {"now": "2026-11-28T12:00:00Z", "picture": {"gangs": [], "kinds": [], "waiting": [], "waitingInAll": 0}}


class Cluster:
    """Counts what it is asked, at times that it is given."""

    def __init__(self):
        self.answer, self.asked, self.now = ANSWER, 0, 0.0

    async def ask(self):
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@asynccontextmanager
async def served():
    cluster = Cluster()
    page = TimelinePage(cluster.ask, lambda: cluster.now)
    async with listen_on_loopback(page, 0) as address, aiohttp.ClientSession() as session:
        yield cluster, address, session


async def test_page_and_picture_are_served_and_the_cluster_is_asked_seldom():
    async with served() as (cluster, address, session):
        async with session.get(address) as page:
            assert "Gangs in time" in await page.text()
        for _ in range(5):
            async with session.get(f"{address}.json") as picture:
                assert (await picture.json())["asOf"] == 1795867200.0
        assert cluster.asked == 1
        cluster.now = 10.0
        async with session.get(f"{address}.json", headers={"If-None-Match": picture.headers["ETag"]}) as unchanged:
            assert (unchanged.status, cluster.asked) == (304, 2)


@pytest.mark.parametrize(
    ("host", "path", "want"),
    [
        pytest.param("evil.example.com", "", http.HTTPStatus.FORBIDDEN, id="another name"),
        pytest.param("localhost", "/../timeline", http.HTTPStatus.NOT_FOUND, id="another path"),
    ],
)
async def test_no_other_site_and_no_other_user_reads_it(host, path, want):
    async with served() as (cluster, address, session):
        url = address if not path else address.rsplit("/", 2)[0] + "/timeline"
        for suffix in ("", ".json"):
            async with session.get(f"{url}{suffix}", headers={"Host": host}) as answer:
                assert answer.status == want
        assert cluster.asked == 0


@pytest.mark.parametrize(
    ("answer", "want"),
    [
        pytest.param(NoAnswer("It does not answer now."), "It does not answer now.", id="not now"),
        pytest.param(
            NoAnswer(""),
            "The cluster has no API for tenants, or this user may not use it. "
            "Administrators can open the operator's page /timeline.",
            id="none",
        ),
        pytest.param(AnswerError("You may not."), "You may not.", id="refused"),
    ],
)
async def test_page_says_why_there_is_no_picture(answer, want):
    async with served() as (cluster, address, session):
        cluster.answer = answer
        async with session.get(f"{address}.json") as picture:
            assert (picture.status, await picture.text()) == (503, f"{want}\n")
