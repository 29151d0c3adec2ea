"""Which Gangs can give way, as far as is known."""

from dataclasses import replace

import pytest

from builders.pod_gangs import pod_gang
from lockstep.belief.podgangs.yielding import YieldingGangs
from lockstep.facts.gang.source import Source

NOW = 1_000.0
JOB = replace(pod_gang(name="job.heat"), made_for="uid-of-heat")


def yielding(*sources):
    """What is known after owners of these sources may be suspended."""
    known = YieldingGangs(lambda: None)
    known.allow(*sources)
    return known


@pytest.mark.parametrize(
    ("gang", "sources", "want"),
    [
        pytest.param(JOB, [Source.JOB], True, id="a Job"),
        pytest.param(JOB, [], False, id="no right"),
        pytest.param(JOB, [Source.JOB_SET], False, id="a right to another kind"),
        pytest.param(pod_gang(name="job.heat"), [Source.JOB], False, id="a user has written it"),
        pytest.param(replace(pod_gang(name="heat"), made_for="uid"), [Source.JOB], False, id="of no source"),
    ],
)
def test_gang_can_give_way_if_its_owner_may_be_suspended(gang, sources, want):
    assert yielding(*sources).can(gang) is want


def test_gang_that_can_not_give_way_is_remembered_for_ten_minutes():
    known = yielding(Source.JOB)
    known.keep(JOB, NOW)
    assert not known.can(JOB)
    assert known.next_end() == NOW + 600

    known.expire(NOW + 599)
    assert not known.can(JOB)
    known.expire(NOW + 600)
    assert known.can(JOB)


def test_obstacle_from_before_the_clock_was_set_back_is_forgotten():
    known = yielding(Source.JOB)
    known.keep(JOB, NOW + 86_400)
    known.expire(NOW)

    assert known.can(JOB)


def test_next_owner_of_the_same_name_can_give_way():
    known = yielding(Source.JOB)
    known.keep(JOB, NOW)

    assert known.can(replace(JOB, made_for="uid-of-the-next"))


def test_gang_that_is_gone_is_forgotten():
    known = yielding(Source.JOB)
    known.keep(JOB, NOW)
    known.forget(JOB.key)

    assert known.next_end() == float("inf")


def test_gang_gives_way_once_at_a_time():
    known = yielding(Source.JOB)
    known.begin(JOB.key)
    assert not known.can(JOB)
    known.end(JOB.key)
    assert known.can(JOB)
