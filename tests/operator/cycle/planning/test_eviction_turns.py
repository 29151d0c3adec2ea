"""Who may evict others, where more gangs may than one plan has time for."""

import pytest

from coschedule import GangKey
from lockstep.cycle.planning.eviction_turns import MOST_EVICTING, EvictionTurns


class Clock:
    """A monotonic clock that stands still until it is set."""

    now = 0.0

    def __call__(self):
        return self.now


def evictions(most=MOST_EVICTING, clock=None):
    return EvictionTurns(clock or Clock(), most)


def queue(count):
    return [GangKey("default", f"g{number:03}") for number in range(count)]


def turns(evicting, gangs, plans, *, has_changed=False):
    return [evicting.choose(gangs, has_changed=has_changed or not number) for number in range(plans)]


def test_few_gangs_may_all_evict():
    evicting, gangs = evictions(8), queue(8)

    assert turns(evicting, gangs, 2) == [set(gangs), set(gangs)]
    assert not evicting.any_untried()


def test_most_urgent_may_in_every_plan_and_the_others_in_turn():
    evicting, gangs = evictions(8), queue(14)
    first, second, third = turns(evicting, gangs, 3)

    assert [sorted(one) for one in (first, second, third)] == [gangs[:8], [*gangs[:2], *gangs[8:]], gangs[:8]]


def test_turns_are_left_until_everybody_had_one_since_facts_changed():
    evicting, gangs = evictions(8), queue(14)
    left = [
        evicting.choose(gangs, has_changed=changed) and evicting.any_untried() for changed in (True, False, True, False)
    ]

    assert left == [True, False, True, False]


def test_gang_that_comes_late_in_the_order_is_reached_behind_any_number_that_are_hopeless():
    evicting, gangs = evictions(8), queue(1000)

    assert any(gangs[-1] in chosen for chosen in turns(evicting, gangs, 1000 // 6 + 1, has_changed=True))


def test_gang_that_went_is_forgotten():
    evicting = evictions(8)
    evicting.choose(queue(14), has_changed=True)
    evicting.choose(queue(8), has_changed=False)

    assert not evicting.any_untried()


def test_gangs_that_are_tried_in_vain_rest_longer_each_time_while_the_search_ends_early():
    evicting, [first, *others] = evictions(8), queue(3)
    plans = []
    for _ in range(12):
        plans.append(first in evicting.choose([first, *others], has_changed=True))
        evicting.record_in_vain({first} if plans[-1] else {others[0]})

    assert [number for number, is_chosen in enumerate(plans) if is_chosen] == [0, 2, 5, 10]


def test_gang_rests_no_more_after_a_search_that_tried_all():
    evicting, gangs = evictions(8), queue(3)
    for in_vain in ({gangs[0]}, (), (), {gangs[0]}, ()):
        chosen = evicting.choose(gangs, has_changed=True)
        evicting.record_in_vain(in_vain)

    assert chosen == {*gangs[1:]}
    assert evicting.choose(gangs, has_changed=True) == {*gangs}


@pytest.mark.parametrize("count", [5, 40, 300])
def test_gang_behind_is_tried_however_many_are_tried_in_vain(count):
    evicting, gangs = evictions(), queue(count)
    for _ in range(10 * count):
        tried = sorted(evicting.choose(gangs, has_changed=True))[:4]
        evicting.record_in_vain(tried)
        if gangs[-1] in tried:
            break

    assert gangs[-1] in tried


def test_next_plan_is_due_until_a_search_has_tried_all():
    evicting, gangs = evictions(8), queue(3)
    left = []
    for in_vain in ({gangs[0]}, {gangs[1]}, ()):
        evicting.choose(gangs, has_changed=not left)
        evicting.record_in_vain(in_vain)
        left.append(evicting.any_untried())

    assert left == [True, True, False]


@pytest.mark.parametrize("count", [3, 40, 250])
@pytest.mark.parametrize("changes", [1, 12])
def test_plans_for_gangs_that_are_tried_in_vain_end_while_nothing_changes(count, changes):
    evicting, gangs = evictions(), queue(count)
    for _ in range(changes):
        plans, has_changed = 0, True
        while has_changed or evicting.any_untried():
            tried = sorted(evicting.choose(gangs, has_changed=has_changed))[:4]
            evicting.record_in_vain(tried)
            plans, has_changed = plans + 1, False

        assert plans <= 1 + count / 4


def test_gang_rests_for_a_few_minutes_at_most_however_rare_plans_are():
    clock = Clock()
    evicting, [first, *others] = evictions(8, clock), queue(3)
    for _ in range(20):
        if first in evicting.choose([first, *others], has_changed=True):
            evicting.record_in_vain({first})
        else:
            evicting.record_in_vain({others[0]})
    assert first not in evicting.choose([first, *others], has_changed=True)

    clock.now = 600.0

    assert first in evicting.choose([first, *others], has_changed=True)


def test_gang_that_was_tried_in_vain_is_tried_again_after_a_few_minutes_though_nothing_has_changed():
    clock = Clock()
    evicting, gangs = evictions(8, clock), queue(3)
    evicting.choose(gangs, has_changed=True)
    evicting.record_in_vain(gangs)
    assert [evicting.choose(gangs, has_changed=False) for _ in range(4)] == [frozenset()] * 4

    clock.now = 600.0

    assert evicting.choose(gangs, has_changed=False) == {*gangs}
