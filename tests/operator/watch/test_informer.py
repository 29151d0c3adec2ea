"""Whatever a watch does, belief ends up equal to the API server's, and no object that vanished stays."""

import asyncio
import gc
import itertools
from contextlib import asynccontextmanager

import aiohttp
import pytest

from builders.served import metadata
from fake_cluster.jumping import until
from fake_cluster.scripted import ScriptedServer, Step, line, page, status, stream
from fake_cluster.sweeps import sweep
from lockstep.api.client.answer import Target
from lockstep.api.client.client import KubeClient
from lockstep.belief.common.parse_failures import ParseFailures
from lockstep.belief.state import State
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.runs.sweep_keys import sweep_key
from lockstep.watch.informer import Informer
from lockstep.watch.kind import WatchedKind
from lockstep.watch.kinds import fair_shares_kind, pod_gangs_kind, sweeps_kind
from lockstep.watch.reader import Reader

pytestmark = pytest.mark.asyncio


def thing(name, version="1", **more):
    return {"metadata": {"name": name, "resourceVersion": version}, **more}


class Belief:
    """What the informer has reported: things by name, and each call in order."""

    def __init__(self):
        self.things = {}
        self.calls = []
        self.unparsed = []
        self.heard = []

    def apply(self, fact):
        name, version = fact
        self.things[name] = version
        self.calls.append(("apply", name, version))

    def remove(self, name):
        self.things.pop(name, None)
        self.calls.append(("remove", name))


@asynccontextmanager
async def informed_by(*script):
    """Run an informer through the script; gives (server, belief, informer) when all of it has been asked for."""
    belief = Belief()
    kind = WatchedKind(
        target=Target("/api/v1/things", "things"),
        key=lambda it: it["metadata"]["name"],
        parse=lambda it: (it["metadata"]["name"], it["metadata"]["resourceVersion"]),
        apply=belief.apply,
        remove=belief.remove,
        parse_failures=ParseFailures(belief.unparsed.append),
    )
    async with informing(kind, *script, heard=belief.heard.append) as (server, informer):
        yield server, belief, informer


@asynccontextmanager
async def informing(kind, *script, heard=lambda _: None):
    """Run an informer of that kind through the script; gives (server, informer) when all of it has been asked for."""
    async with (
        ScriptedServer(*script) as server,
        KubeClient(server.configuration, concurrency=1, observer=lambda *_: None) as client,
    ):
        informer = Informer(client, kind, heard=heard)
        task = asyncio.create_task(informer.run())
        try:
            await until(lambda: server.is_through or task.done())
            assert not task.done(), task.exception()
            yield server, informer
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def test_first_list_comes_in_pages():
    pages = [
        page(thing("a"), thing("b"), following="to-c"),
        page(thing("c"), following="to-d"),
        page(thing("d"), version="40"),
    ]
    async with informed_by(*pages) as (server, belief, informer):
        assert sorted(belief.things) == ["a", "b", "c", "d"]
        assert informer.synced.is_set()
        assert [one.query.get("continue") for one in server.asked[:3]] == [None, "to-c", "to-d"]
        assert [one.query["limit"] for one in server.asked[:3]] == ["8", "32", "128"]
        assert server.asked[3].query["resourceVersion"] == "40"


async def test_nothing_is_synced_before_the_last_page():
    async with informed_by(page(thing("a"), following="to-b")) as (_, _, informer):
        assert not informer.synced.is_set()


async def test_events_are_applied_in_order():
    events = stream(
        ("ADDED", thing("b", "11")),
        ("MODIFIED", thing("a", "12")),
        ("DELETED", thing("b", "13")),
        line("ADDED", thing("c", "14")),
    )
    async with informed_by(page(thing("a")), events) as (_, belief, _):
        assert belief.things == {"a": "12", "c": "14"}
        assert belief.calls[1:] == [("apply", "b", "11"), ("apply", "a", "12"), ("remove", "b"), ("apply", "c", "14")]


async def test_ended_stream_goes_on_from_its_last_event():
    async with informed_by(page(thing("a")), stream(("ADDED", thing("b", "17")))) as (server, _, _):
        assert server.asked[-1].query["resourceVersion"] == "17"
        assert server.asked[-1].query["allowWatchBookmarks"] == "true"


async def test_ended_stream_goes_on_from_its_bookmark():
    async with informed_by(page(thing("a")), stream(("BOOKMARK", thing("", "99")))) as (server, belief, _):
        assert server.asked[-1].query["resourceVersion"] == "99"
        assert belief.things == {"a": "1"}


async def test_deleted_event_carries_the_version_to_go_on_from():
    async with informed_by(page(thing("a")), stream(("DELETED", thing("a", "23")))) as (server, _, _):
        assert server.asked[-1].query["resourceVersion"] == "23"


EXPIRED = {"kind": "Status", "code": 410, "message": "too old resource version"}


@pytest.mark.parametrize(
    "trouble",
    [
        pytest.param([status(410)], id="the watch is refused as expired"),
        pytest.param([stream(("ERROR", EXPIRED))], id="the stream says expired"),
        pytest.param([stream(("ADDED", thing("b", "11")), ("ERROR", EXPIRED))], id="expired after an event"),
        pytest.param([stream(("ERROR", {"code": 500, "message": "leader changed"}))], id="the stream says error 500"),
        pytest.param([stream(("ERROR", {"code": 429, "message": "busy"}))], id="the stream says error 429"),
        pytest.param([stream(("ERROR", {}))], id="an error that says nothing"),
        pytest.param([stream(b"<html>\n")], id="a line that is no JSON"),
        pytest.param([stream(b"[]\n")], id="a line that is a list"),
        pytest.param([stream(b"null\n")], id="a line that is null"),
        pytest.param([stream(b'{"type": "ADDED"}\n')], id="an event without an object"),
        pytest.param([stream(b'{"type": "ADDED", "object": null}\n')], id="an event whose object is null"),
        pytest.param([stream(b'{"type": "ERROR", "object": null}\n')], id="an error whose object is null"),
        pytest.param([stream(b'{"type": "ERROR", "object": "no"}\n')], id="an error whose object is a string"),
        pytest.param([stream(b'{"type": "ADDED", "object": {"metadata": {"name": "b"}}}\n')], id="no version"),
        pytest.param([stream(b"\n")], id="an empty line"),
        pytest.param([stream(Step.RESET)], id="connection reset"),
        pytest.param([stream(line("ADDED", thing("b", "11"))[:20], Step.RESET)], id="reset within a line"),
        pytest.param([Step.SILENCE], id="no answer to the watch"),
        pytest.param([status(500)], id="the watch is refused with 500"),
        pytest.param([status(403)], id="the watch is forbidden"),
        pytest.param([status(410), status(410)], id="the fresh list is refused as expired"),
        pytest.param([status(410), page(following="x"), status(410)], id="the fresh list expires between its pages"),
        pytest.param([status(410), status(403)], id="the fresh list is forbidden"),
        pytest.param([status(410), *[status(503)] * 6], id="the fresh list is given up"),
    ],
)
async def test_after_any_trouble_belief_is_what_is_there(trouble):
    fresh = page(thing("a", "20"), thing("new", "21"), version="30")
    async with informed_by(page(thing("a"), thing("ghost")), *trouble, fresh) as (server, belief, _):
        assert server.asked[-1].query["resourceVersion"] == "30"
        assert belief.things == {"a": "20", "new": "21"}
        assert ("remove", "ghost") in belief.calls


async def test_stream_that_ends_within_a_line_goes_on_from_its_last_whole_event():
    cut_off = stream(("ADDED", thing("b", "11")), line("ADDED", thing("c", "12"))[:20])
    async with informed_by(page(), cut_off, stream(("ADDED", thing("c", "12")))) as (server, belief, _):
        assert server.asked[2].query["resourceVersion"] == "11"
        assert belief.things == {"b": "11", "c": "12"}


async def test_half_lines_are_put_together():
    whole = line("ADDED", thing("b", "11")) + line("ADDED", thing("c", "12"))
    for cut in (1, 17, len(whole) // 2 - 1, len(whole) // 2, len(whole) // 2 + 1, len(whole) - 1):
        async with informed_by(page(), stream(whole[:cut], whole[cut:])) as (_, belief, _):
            assert belief.things == {"b": "11", "c": "12"}


async def test_lines_may_come_byte_by_byte():
    pieces = [bytes([byte]) for byte in line("ADDED", thing("b", "11"))]
    async with informed_by(page(), stream(*pieces)) as (_, belief, _):
        assert belief.things == {"b": "11"}


async def test_line_may_be_longer_than_any_buffer():
    long = line("ADDED", thing("b", "11", padding="x" * 2_000_000))
    async with informed_by(page(), stream(long)) as (_, belief, _):
        assert belief.things == {"b": "11"}


async def test_object_that_vanished_is_removed_only_once():
    script = [page(thing("a"), thing("ghost")), status(410), page(thing("a")), status(410), page(thing("a"))]
    async with informed_by(*script) as (_, belief, _):
        assert belief.calls.count(("remove", "ghost")) == 1


async def test_object_created_again_after_a_gap_is_accepted():
    again = page(thing("a", "40"), version="40")
    script = [page(thing("a")), stream(("DELETED", thing("a", "11"))), status(410), again]
    async with informed_by(*script) as (_, belief, _):
        assert belief.things == {"a": "40"}


async def test_list_from_the_past_is_asked_for_again():
    now = page(thing("a", "40"), version="40")
    script = [now, status(410), page(thing("ghost"), version="30"), now]
    async with informed_by(*script) as (_, belief, _):
        assert belief.things == {"a": "40"}
        assert ("remove", "a") not in belief.calls


async def test_server_that_was_set_back_is_accepted_when_it_stays_with_it():
    past = [page(thing("ghost"), version="30")] * 3
    async with informed_by(page(thing("a", "40"), version="40"), status(410), *past) as (_, belief, _):
        assert belief.things == {"ghost": "1"}


def gang_of_pods(version):
    return {
        "metadata": metadata("heat", namespace="default", version=version, generation=1),
        "spec": {"size": {"min": 2}},
    }


def sweep_of(version):
    manifest = sweep()
    return {**manifest, "metadata": {**manifest["metadata"], "resourceVersion": version}}


def fair_share(version):
    return {
        "metadata": metadata("default", version=version),
        "spec": {"groups": [{"name": "physics", "namespaces": []}]},
    }


@pytest.mark.parametrize(
    ("make_kind", "manifest", "cached"),
    [
        pytest.param(pod_gangs_kind, gang_of_pods, lambda it: it.gangs[pod_gang_key("default", "heat")], id="Gangs"),
        pytest.param(sweeps_kind, sweep_of, lambda it: it.sweeps.objects[sweep_key("default", "s")], id="GangSweeps"),
        pytest.param(fair_shares_kind, fair_share, lambda it: it.shares.fact, id="the FairShare"),
    ],
)
async def test_kinds_whose_answers_to_writes_are_cached_follow_a_server_that_was_set_back(make_kind, manifest, cached):
    state = State(lambda: None)
    past = [page(manifest("20"), version="30")] * 3
    async with informing(make_kind(state), page(manifest("40"), version="40"), status(410), *past):
        assert cached(state).resource_version == "20"


async def test_answer_to_a_write_is_newer_than_a_list_that_began_before_it():
    state = State(lambda: None)
    kind = pod_gangs_kind(state)
    kind.accept(gang_of_pods("10"))
    before = kind.version(kind.key(gang_of_pods("10")))
    kind.accept(gang_of_pods("12"))
    await Reader(kind).accept(gang_of_pods("11"), was=before)

    assert state.pod_gangs.objects[pod_gang_key("default", "heat")].resource_version == "12"


async def test_broken_watch_is_not_asked_again_in_a_tight_loop():
    troubles = [it for _ in range(8) for it in (page(), stream(b"garbage\n"))]
    async with informed_by(*troubles) as (server, _, _):
        lists = [one.at for one in server.asked if "watch" not in one.query]

    pauses = [later - earlier for earlier, later in itertools.pairwise(lists)]
    assert all(0.1 * 2**n <= pause <= 0.31 * 2**n for n, pause in enumerate(pauses))


async def test_pause_has_a_limit():
    troubles = [it for _ in range(14) for it in (page(), stream(b"garbage\n"))]
    async with informed_by(*troubles) as (server, _, _):
        lists = [one.at for one in server.asked if "watch" not in one.query]

    assert 15 <= lists[-1] - lists[-2] <= 45.1


async def test_streams_that_end_at_once_are_not_opened_in_a_tight_loop():
    async with informed_by(page(), *[stream()] * 10) as (server, _, _):
        watches = [one.at for one in server.asked if "watch" in one.query]

    assert all(later - earlier >= 0.199 for earlier, later in itertools.pairwise(watches))


async def test_silent_watch_is_opened_again_where_it_was_without_a_warning(caplog):
    """Of a kind without objects some API servers send no bookmark: that is no trouble."""
    quiet = stream(("ADDED", thing("b", "11")), Step.SILENCE)
    async with informed_by(page(), quiet, stream(("ADDED", thing("c", "12")))) as (server, belief, _):
        _, first, second = server.asked[:3]
        assert belief.things == {"b": "11", "c": "12"}

    assert (first.query["resourceVersion"], second.query["resourceVersion"]) == ("10", "11")
    assert 60 < second.at - first.at < 120
    assert not caplog.records


async def test_watch_without_a_word_leaves_nothing_that_only_the_collector_finds():
    """Of what has been there for so long it searches for nothing: it would be kept until the process ends."""
    gc.collect()
    before = responses()
    gc.disable()
    try:
        async with informed_by(page(), *[stream(Step.SILENCE)] * 3):
            left = [one for one in responses() if all(one is not other for other in before)]
    finally:
        gc.enable()

    assert len(left) == 1, "that of the watch that is open"


def responses():
    """All answers that are there, of whichever client."""
    return [one for one in gc.get_objects() if isinstance(one, aiohttp.ClientResponse)]


async def test_watch_that_opens_counts_as_heard():
    async with informed_by(page(), *[stream(Step.SILENCE)] * 3) as (_, belief, _):
        # Once for the list, and once for each watch.
        assert belief.heard == ["things"] * 4


async def test_watch_asks_for_an_end_so_that_a_quiet_one_is_renewed():
    async with informed_by(page()) as (server, _, _):
        assert 240 <= int(server.asked[-1].query["timeoutSeconds"]) <= 360


async def test_trouble_that_lasts_is_logged_once_and_once_more_when_it_comes_again(caplog):
    denied = [status(403, "no right to list")] * 5
    async with informed_by(*denied, page(version="1"), stream(line("BOOKMARK", thing("", "2"))), *denied):
        pass

    logged = [one.getMessage() for one in caplog.records]
    # The second time first the watch is refused, and then the list.
    want_whys = ["no right to list", "HTTP 403", "no right to list"]
    assert logged == [f"the watch of things ended, and starts again with a list: {why}" for why in want_whys]
