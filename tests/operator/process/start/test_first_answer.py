"""What the operator needs to hear before it begins."""

import pytest

from fake_cluster.jumping import now
from lockstep.api.client.answer import Answer
from lockstep.api.client.configuration import Configuration
from lockstep.api.client.credentials import refused_at_start
from lockstep.facts.gang.source import Source
from lockstep.process.start.first_answer import check_api
from lockstep.process.stores.errors import StartError

pytestmark = pytest.mark.asyncio

UNKNOWN = Answer(404, {"message": "the server could not find the requested resource"})


def listed(*kinds):
    return Answer(200, {"resources": [{"name": name} for kind in kinds for name in (kind, f"{kind}/status")]})


class Answering:
    """A client that gives these answers in turn, the last one for ever."""

    def __init__(self, *answers):
        self.answers = list(answers)

    async def get(self, target):
        assert target.path == "/apis/lockstep.dev/v1alpha1"
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


async def check(*answers, sources=()):
    await check_api(Answering(*answers), Configuration(host="https://example.com"), sources)


async def test_kinds_that_are_listed_a_moment_later_are_waited_for():
    begun = now()

    await check(UNKNOWN, UNKNOWN, listed("gangjobs"), listed("gangjobs", "nodebids"))

    assert now() - begun == pytest.approx(0.6, abs=0.05)


@pytest.mark.parametrize("answer", [pytest.param(UNKNOWN, id="neither"), pytest.param(listed("nodebids"), id="one")])
async def test_kinds_that_stay_unknown_are_reported(answer):
    begun = now()

    with pytest.raises(StartError, match="apply the CRDs first"):
        await check(answer)

    assert now() - begun == pytest.approx(5.0, abs=0.3)


async def test_kind_of_a_source_is_needed_where_it_is_one():
    await check(listed("gangjobs", "gangs", "nodebids"), sources={Source.PODS})

    with pytest.raises(StartError, match=r"all of gangjobs, gangs, nodebids of lockstep\.dev/v1alpha1: apply"):
        await check(listed("gangjobs", "nodebids"), sources={Source.PODS})


async def test_operator_without_rights_reports_it_at_once():
    begun = now()

    with pytest.raises(StartError, match=r"https://example\.com refuses access: you may not$"):
        await check(Answer(403, {"message": "you may not"}))

    assert now() - begun < 0.1


async def test_unknown_user_is_reported_as_credentials_that_are_not_accepted():
    with pytest.raises(StartError) as caught:
        await check(Answer(401, {"message": "Unauthorized"}))

    assert str(caught.value) == refused_at_start(Configuration(host="https://example.com"))
