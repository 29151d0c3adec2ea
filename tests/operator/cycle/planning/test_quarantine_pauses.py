"""Gangs that are left out of plans for a while."""

from builders.facts import gang_fact
from coschedule import failed
from lockstep.cycle.planning.quarantine import Quarantine


def test_pause_of_a_gang_that_raises_doubles_and_ends_with_its_spec():
    quarantine, one = Quarantine(), gang_fact()
    quarantine.put(one, failed(one.key, ValueError()), 0.0)
    assert [quarantine.contains(one, time) for time in (0.0, 9.9, 10.0)] == [True, True, False]
    quarantine.put(one, failed(one.key, ValueError()), 10.0)

    assert [quarantine.contains(one, time) for time in (29.9, 30.0)] == [True, False]
    assert (quarantine.next_end(10.0), quarantine.next_end(30.0)) == (30.0, float("inf"))
    assert not quarantine.contains(gang_fact(generation=2), 11.0)
    assert not quarantine.contains(gang_fact(uid="another"), 11.0)
