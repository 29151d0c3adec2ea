"""Who may evict others, where more gangs may than one plan has time for."""

from coschedule import GangKey
from lockstep.cycle.planning.eviction_turns import EvictionTurns


def queue(count):
    return [GangKey("default", f"g{number:03}") for number in range(count)]


def turns(evicting, gangs, plans, *, has_changed=False):
    return [evicting.choose(gangs, has_changed=has_changed or not number) for number in range(plans)]


def test_few_gangs_may_all_evict():
    evicting, gangs = EvictionTurns(8), queue(8)

    assert turns(evicting, gangs, 2) == [set(gangs), set(gangs)]
    assert not evicting.any_untried()


def test_most_urgent_may_in_every_plan_and_the_others_in_turn():
    evicting, gangs = EvictionTurns(8), queue(14)
    first, second, third = turns(evicting, gangs, 3)

    assert [sorted(one) for one in (first, second, third)] == [gangs[:8], [*gangs[:2], *gangs[8:]], gangs[:8]]


def test_turns_are_left_until_everybody_had_one_since_facts_changed():
    evicting, gangs = EvictionTurns(8), queue(14)
    left = [
        evicting.choose(gangs, has_changed=changed) and evicting.any_untried() for changed in (True, False, True, False)
    ]

    assert left == [True, False, True, False]


def test_gang_that_comes_late_in_the_order_is_reached_behind_any_number_that_are_hopeless():
    evicting, gangs = EvictionTurns(8), queue(1000)

    assert any(gangs[-1] in chosen for chosen in turns(evicting, gangs, 1000 // 6 + 1, has_changed=True))


def test_gang_that_went_is_forgotten():
    evicting = EvictionTurns(8)
    evicting.choose(queue(14), has_changed=True)
    evicting.choose(queue(8), has_changed=False)

    assert not evicting.any_untried()
