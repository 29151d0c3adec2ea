"""Whether the watches of our own kinds deliver."""

import pytest

from lockstep.watch.streams import Streams

pytestmark = pytest.mark.asyncio

KINDS = ("gangjobs", "nodebids")


@pytest.fixture
def streams():
    return Streams(KINDS)


async def test_nothing_delivers_before_a_watch_is_open(streams):
    streams.watch_answered("gangjobs", 200)

    assert not streams.all_open
    assert not streams.delivered.is_set()


async def test_all_open_watches_deliver(streams):
    for kind in KINDS:
        streams.watch_answered(kind, 200)

    assert streams.all_open
    assert streams.delivered.is_set()


async def test_watch_that_ends_is_a_change_and_stays_so(streams):
    for kind in KINDS:
        streams.watch_answered(kind, 200)
    streams.changed.clear()
    streams.watch_answered("nodebids", 0)

    assert streams.changed.is_set()
    assert not streams.all_open
    assert streams.delivered.is_set()


async def test_what_is_known_already_is_no_change(streams):
    streams.watch_answered("gangjobs", 0)

    assert not streams.changed.is_set()


async def test_other_watches_are_no_change(streams):
    streams.watch_answered("customresourcedefinitions", 200)

    assert not streams.changed.is_set()


async def test_all_end_with_the_process_that_watched(streams):
    for kind in KINDS:
        streams.watch_answered(kind, 200)
    streams.end_all()

    assert not streams.all_open


async def test_watch_that_opens_and_lists_that_are_accepted_are_signs_of_life():
    heard = []
    streams = Streams(KINDS, heard=heard.append)

    streams.watch_answered("gangjobs", 403)
    streams.watch_answered("gangjobs", 200)
    streams.listed()

    assert heard == ["gangjobs", *KINDS]


async def test_requests_are_reported_by_words_of_ours():
    observed = []
    streams = Streams(KINDS, observer=lambda *one: observed.append(one))

    streams.answered("WATCH", "gangjobs", 401, 0.5)
    streams.answered("GET", "v1beta1", 200, 0.5)

    assert observed == [("WATCH", "gangjobs", 401, 0.5), ("GET", "apis", 200, 0.5)]
