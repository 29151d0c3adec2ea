"""No object holds the event loop for longer than a small one does, and belief follows the order of events."""

import asyncio
import threading
from itertools import pairwise

import pytest

from lockstep.api.client.answer import Target
from lockstep.belief.common.parse_failures import ParseFailures
from lockstep.watch.kind import WatchedKind
from lockstep.watch.reader import BYTES_OF_TURN, Reader

pytestmark = pytest.mark.asyncio

WAIT_SECONDS = 90


def thing(name="a", version="1", size=0):
    return {"metadata": {"name": name, "resourceVersion": version}, "text": "x" * size}


LARGE = BYTES_OF_TURN + 1


class Things:
    """Belief in things, by name: their versions. ``parse`` may be replaced."""

    def __init__(self, parse=None):
        self.cached, self.applied, self.unparsed = {}, [], []
        self.kind = WatchedKind(
            target=Target("/api/v1/things", "things"),
            key=lambda it: it["metadata"]["name"],
            parse=parse or parsed,
            apply=self.apply,
            remove=lambda name: self.cached.pop(name, None),
            parse_failures=ParseFailures(self.unparsed.append),
            version=self.cached.get,
        )
        self.reader = Reader(self.kind)

    def apply(self, fact):
        name, version = fact
        self.cached[name] = version
        self.applied.append(version)


def parsed(manifest):
    return manifest["metadata"]["name"], manifest["metadata"]["resourceVersion"]


@pytest.mark.parametrize(
    ("manifest", "want_beside"),
    [
        pytest.param(thing(), False, id="small"),
        pytest.param(thing(size=LARGE), True, id="large"),
        pytest.param({**thing(), "text": "\ud800"}, True, id="of unknown size"),
    ],
)
async def test_large_object_is_read_in_a_thread_and_a_small_one_is_not(manifest, want_beside):
    threads = []
    things = Things(lambda it: threads.append(threading.get_ident()) or parsed(it))
    await things.reader.accept(manifest)

    assert [one != threading.get_ident() for one in threads] == [want_beside]
    assert things.cached == {"a": "1"}


async def test_event_loop_turns_while_a_large_object_is_read():
    has_turned = threading.Event()

    def parse(manifest):
        assert has_turned.wait(WAIT_SECONDS)
        return parsed(manifest)

    things = Things(parse)
    reading = asyncio.create_task(things.reader.accept(thing(size=LARGE)))
    await asyncio.sleep(0)
    has_turned.set()
    await reading

    assert things.cached == {"a": "1"}


async def test_objects_are_accepted_in_the_order_of_their_events():
    things = Things()
    for version in range(6):
        await things.reader.accept(thing(version=str(version), size=LARGE if version % 2 else 0))

    assert things.applied == ["0", "1", "2", "3", "4", "5"]


async def test_object_that_went_while_it_was_read_is_not_accepted():
    begun, has_gone = threading.Event(), threading.Event()

    def parse(manifest):
        begun.set()
        assert has_gone.wait(WAIT_SECONDS)
        return parsed(manifest)

    things = Things(parse)
    things.cached["a"] = "1"
    reading = asyncio.create_task(things.reader.accept(thing(version="2", size=LARGE)))
    await asyncio.to_thread(begun.wait, WAIT_SECONDS)
    things.kind.drop("a")
    has_gone.set()
    await reading

    assert things.cached == {}


async def test_small_objects_are_read_in_turns():
    things, read_by_turn = Things(), [0]

    async def others():
        while True:
            read_by_turn.append(len(things.applied))
            await asyncio.sleep(0)

    turning = asyncio.create_task(others())
    for number in range(100):
        await things.reader.accept(thing(f"t{number}", size=BYTES_OF_TURN // 10))
    turning.cancel()

    assert len(things.cached) == 100
    assert max(after - before for before, after in pairwise(read_by_turn)) < 10


async def test_large_object_that_makes_no_sense_costs_no_other():
    def parse(manifest):
        if manifest["metadata"]["name"] == "odd":
            raise ValueError("no sense")
        return parsed(manifest)

    things = Things(parse)
    await things.reader.accept(thing("odd", size=LARGE))
    await things.reader.accept(thing("good", size=LARGE))

    assert things.cached == {"good": "1"}
    assert things.unparsed == ["things"]


async def test_kinds_do_not_wait_for_all_large_objects_of_another():
    """One large object of a kind is in the thread, or waits for it, however many there are."""
    begun, may_end, order = threading.Event(), threading.Event(), []

    def slow(manifest):
        begun.set()
        assert may_end.wait(WAIT_SECONDS)
        return parsed(manifest)

    many, other = Things(slow), Things()
    first = [asyncio.create_task(many.reader.accept(thing(f"t{number}", size=LARGE))) for number in range(5)]
    await asyncio.to_thread(begun.wait, WAIT_SECONDS)
    last = asyncio.create_task(other.reader.accept(thing("o", size=LARGE)))
    for task in (*first, last):
        task.add_done_callback(order.append)
    await asyncio.sleep(0)
    may_end.set()
    await asyncio.gather(*first, last)

    assert order.index(last) <= 1
