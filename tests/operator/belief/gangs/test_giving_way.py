"""Which gangs give way to which: by decisions, until statuses say so."""

from coschedule import GangKey
from lockstep.belief.gangs.giving_way import GivingWay

VICTIM, FIRST, SECOND = (GangKey("default", name) for name in ("victim", "first", "second"))


def test_gang_gives_way_to_the_gang_of_the_last_decision_alone():
    giving_way = GivingWay(lambda: None)
    giving_way.evicted.decide(VICTIM, FIRST)
    giving_way.evicted.decide(VICTIM, SECOND)

    found = [giving_way.evicted.victims_of(gang) for gang in (FIRST, SECOND)]
    giving_way.finalize(VICTIM)

    assert found == [(), (VICTIM,)]
    assert [giving_way.evicted.victims_of(gang) for gang in (FIRST, SECOND)] == [(), ()]
