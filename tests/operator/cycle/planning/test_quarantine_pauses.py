"""Gangs that are left out of plans for a while."""

from builders.facts import gang_fact
from lockstep.cycle.planning.quarantine import Quarantine


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds

    def at(self, seconds, asked):
        self.seconds = seconds
        return asked()


def test_pause_of_a_gang_that_raises_doubles_and_ends_with_its_spec():
    clock, counted, one = Clock(), [], gang_fact()
    quarantine = Quarantine(clock, lambda: counted.append(one))
    quarantine.put(one, ValueError())
    assert [clock.at(time, lambda: quarantine.contains(one)) for time in (0.0, 9.9, 10.0)] == [True, True, False]
    quarantine.put(one, ValueError())

    assert [clock.at(time, lambda: quarantine.contains(one)) for time in (29.9, 30.0)] == [True, False]
    assert [quarantine.next_end(time) for time in (10.0, 30.0)] == [30.0, float("inf")]
    assert not clock.at(11.0, lambda: quarantine.contains(gang_fact(generation=2)))
    assert not quarantine.contains(gang_fact(uid="another"))
    assert len(counted) == 2
