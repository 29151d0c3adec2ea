"""Which gang is served next, beside an order that is worked out from the whole queue at each step."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coschedule import GangKey
from lockstep.belief.common.fair_queue import FairQueue, Rank

URGENT, USUAL = Rank(group=0, minus_priority=-5), Rank(group=1, minus_priority=0)


class SortedQueue:
    """The same by sorting all that wait: by rank, by when the namespace was served or came, then by order of coming."""

    def __init__(self):
        self.step = 0
        self.waiting = {}
        self.turns = {}

    def put(self, gang, rank):
        self.step += 1
        if gang in self.waiting and self.waiting[gang][0] == rank:
            return
        self.drop(gang)
        if not any((one.namespace, other) == (gang.namespace, rank) for one, (other, _) in self.waiting.items()):
            self.turns[rank, gang.namespace] = self.step
        self.waiting[gang] = rank, self.step

    def take(self, is_busy):
        self.step += 1
        free = [gang for gang in self.waiting if not is_busy(gang.namespace)]
        if not free:
            return None
        gang = min(free, key=self.place)
        rank, _ = self.waiting.pop(gang)
        self.turns[rank, gang.namespace] = self.step
        return gang

    def place(self, gang):
        rank, came = self.waiting[gang]
        return rank, self.turns[rank, gang.namespace], came

    def drop(self, gang):
        self.waiting.pop(gang, None)


GANGS = st.builds(GangKey, st.sampled_from("abc"), st.sampled_from("123"))
RANKS = st.builds(Rank, st.integers(0, 1), st.integers(-1, 1))
STEPS = st.one_of(
    st.tuples(st.just("put"), GANGS, RANKS),
    st.tuples(st.just("take"), st.frozensets(st.sampled_from("abc"))),
    st.tuples(st.just("drop"), GANGS),
)


@given(st.lists(STEPS, max_size=40))
def test_queue_serves_in_the_order_that_sorting_finds(steps):
    queue, want = FairQueue(), SortedQueue()
    for step in steps:
        match step:
            case "put", gang, rank:
                queue.put(gang, rank)
                want.put(gang, rank)
            case "take", busy:
                assert queue.take(busy.__contains__) == want.take(busy.__contains__)
            case "drop", gang:
                queue.drop(gang)
                want.drop(gang)
        assert {gang for gang in want.waiting if gang in queue} == set(want.waiting)


@pytest.mark.parametrize("gangs", [1, 10_000])
def test_namespace_has_one_turn_of_two_however_many_gangs_another_has(gangs):
    queue = FairQueue()
    for number in range(gangs):
        queue.put(GangKey("many", str(number)), USUAL)
    queue.put(GangKey("few", "one"), USUAL)
    queue.put(GangKey("few", "two"), URGENT)

    taken = [queue.take(none_is_busy) for _ in range(3)]

    assert taken == [GangKey("few", "two"), GangKey("many", "0"), GangKey("few", "one")]


def test_gang_that_becomes_urgent_goes_to_the_front():
    queue = FairQueue()
    for name in "ab":
        queue.put(GangKey("n", name), USUAL)

    queue.put(GangKey("n", "b"), URGENT)

    assert queue.take(none_is_busy) == GangKey("n", "b")


def test_each_rank_has_a_turn_though_gangs_of_the_most_urgent_one_come_again_and_again():
    queue, ranks = FairQueue(), [Rank(group=0, minus_priority=-priority) for priority in (3, 2, 1)]
    taken = []
    for _ in range(100):
        for rank in ranks:
            queue.put(GangKey("n", str(rank.minus_priority)), rank)
        taken.append(queue.take_in_turns(none_is_busy).name)

    assert taken[:7] == ["-3"] * 7
    assert {"-2", "-1"} <= set(taken[:24])
    assert taken.count("-3") > 80


def none_is_busy(_):
    return False
