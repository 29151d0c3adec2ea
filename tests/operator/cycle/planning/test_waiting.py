"""The order of the queue: priority, then the age that counts, then creation, then the name."""

from builders.facts import gang_fact, gang_spec
from lockstep.belief.state import State
from lockstep.cycle.planning.waiting import by_urgency
from lockstep.facts.cluster.cluster import PriorityClass
from lockstep.facts.gang.status import GangStatus

NOW = 1000.0


def in_order(*gangs, now=NOW):
    state = State(lambda: None)
    state.priorities.apply(PriorityClass("urgent", 5, is_default=False))
    return [one.key.name for one in by_urgency(state, gangs, now)]


def aged(name, created, **status):
    return gang_fact(name, created=created, status=GangStatus(**status))


def test_gangs_are_in_order_of_priority_age_creation_and_name():
    urgent = gang_fact("urgent", created=990.0, spec=gang_spec(priority_class="urgent"))
    gangs = [
        aged("c", 500.0),
        aged("resumed", 100.0, queued_since=700.0),
        urgent,
        aged("b", 500.0),
        aged("older", 400.0, queued_since=500.0),
        aged("new", 900.0),
    ]

    assert in_order(*gangs) == ["urgent", "older", "b", "c", "resumed", "new"]


def test_gang_whose_age_stands_still_falls_behind_those_that_wait():
    gangs = [aged("large", 100.0, waited_seconds=50), aged("waits", 800.0)]

    assert [in_order(*gangs, now=time) for time in (840.0, 860.0)] == [["large", "waits"], ["waits", "large"]]
