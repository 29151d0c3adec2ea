"""Gangs that are left out of plans for a while."""

from builders.facts import gang_fact
from coschedule import failed
from lockstep.cycle.planning.quarantine import SetAside


def test_pause_of_a_gang_that_raises_doubles_and_ends_with_its_spec():
    aside, one = SetAside(), gang_fact()
    aside.put(one, failed(one.key, ValueError()), 0.0)
    assert [aside.holds(one, time) for time in (0.0, 9.9, 10.0)] == [True, True, False]
    aside.put(one, failed(one.key, ValueError()), 10.0)

    assert [aside.holds(one, time) for time in (29.9, 30.0)] == [True, False]
    assert (aside.next_look(10.0), aside.next_look(30.0)) == (30.0, float("inf"))
    assert not aside.holds(gang_fact(generation=2), 11.0)
    assert not aside.holds(gang_fact(uid="another"), 11.0)
