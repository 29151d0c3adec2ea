"""What has changed stays news until somebody says that it is dealt with."""

import pytest

from coschedule import GangKey
from lockstep.belief.common.changed_keys import News

A, B = GangKey("default", "a"), GangKey("default", "b")


@pytest.fixture
def wakes():
    return []


@pytest.fixture
def news(wakes):
    return News(lambda: wakes.append(1))


def test_gang_is_news_until_it_is_looked_at(news, wakes):
    news.look_at(A, B)
    news.looked_at(A)
    assert (news.gangs, wakes) == ({B}, [1])

    news.look_at(A)
    assert news.gangs == {A, B}


def test_looking_later_wakes_nobody(news, wakes):
    news.look_later(A)

    assert (news.gangs, wakes) == ({A}, [])


def test_plan_that_begins_takes_all_news_so_far(news, wakes):
    news.plan()
    assert (news.begin_plan(), news.begin_plan()) == (True, False)

    news.changed(needs_plan=False)
    assert (news.is_plan_due, wakes) == (False, [1, 1])
    news.changed(needs_plan=True)
    news.changed(needs_plan=False)
    assert news.is_plan_due


def test_bid_is_news_until_its_owner_is_answered(news):
    news.answer("n1")
    news.answer("n2")
    news.answered("n1")
    news.answered("never asked")

    assert news.bids == {"n2"}
