"""Gangs that wait for others are planned behind a plan, and take nothing from it."""

from dataclasses import replace

from coschedule.queue.behind import Behind, plan_behind
from coschedule.queue.plan import plan
from coschedule.queue.problem.gangs import GangKey
from engine.builders import NOW, gang, node, snapshot


def behind(facts, *gangs):
    """The placements of these gangs behind the plan of these facts, by name."""
    return {one.gang.name: one for one in plan_behind(facts, plan(facts), gangs)}


def key(name):
    return gang(name).key


def test_gang_starts_when_the_one_that_it_waits_for_ends():
    facts = snapshot([node("n1"), node("n2")], [gang("a", serial=8)])
    placed = behind(facts, Behind(gang("b", serial=4), ends=(key("a"),)))

    assert (placed["b"].start, placed["b"].finish, placed["b"].promised) == (NOW + 8, NOW + 12, None)


def test_chain_is_planned_whole_in_whatever_order_it_is_given():
    facts = snapshot([node("n1")], [gang("a", serial=8)])
    chain = [Behind(gang("c", serial=2), ends=(key("b"),)), Behind(gang("b", serial=4), ends=(key("a"),))]

    assert {name: one.start for name, one in behind(facts, *chain).items()} == {"b": NOW + 8, "c": NOW + 12}


def test_gang_may_start_beside_the_one_that_has_started():
    facts = snapshot([node("n1"), node("n2")], [gang("a", serial=8)])
    assert behind(facts, Behind(gang("b", serial=4), starts=(key("a"),)))["b"].start == NOW


def test_gang_waits_until_a_time_that_is_known_already():
    facts = snapshot([node("n1")], [])
    assert behind(facts, Behind(replace(gang("b", serial=4), not_before=NOW + 5)))["b"].start == NOW + 5


def test_gangs_of_the_plan_keep_their_places_however_urgent_the_others_are():
    facts = snapshot([node("n1")], [gang("a", serial=8), gang("next", serial=8)])
    placed = behind(facts, Behind(gang("b", serial=4, priority=9), ends=(key("a"),)))

    assert placed["b"].start == NOW + 16


def test_gang_behind_one_of_unknown_end_or_without_a_place_has_none():
    facts = snapshot([node("n1", free=0), node("n2")], [gang("endless"), gang("large", size=9, serial=8)])
    waiting = [
        Behind(gang("b", serial=4), ends=(key("endless"),)),
        Behind(gang("c", serial=4), ends=(key("large"),)),
        Behind(gang("d", serial=4), ends=(key("b"),)),
        Behind(gang("e", serial=4), ends=(GangKey("default", "nowhere"),)),
    ]
    assert behind(facts, *waiting) == {}


def test_rings_end():
    facts = snapshot([node("n1")], [])
    assert behind(facts, Behind(gang("a"), ends=(key("b"),)), Behind(gang("b"), ends=(key("a"),))) == {}
