"""Gangs of other namespaces are known by UID, whichever object is seen first."""

from builders.facts import DEFAULT, gang_fact
from coschedule import GangKey
from lockstep.api.preemption import GangUid
from lockstep.belief.gangs.gang_uids import GangUids
from lockstep.belief.gangs.giving_way import Preemptors, evicted_for
from lockstep.facts.gang.status import ConditionFact, GangStatus

HOT = GangKey(DEFAULT, "hot")
SAYS = "A gang of another namespace, of priority 5 and UID u-7, takes the place of this gang."
EVICTED = gang_fact(
    "cold", status=GangStatus(conditions=(ConditionFact("Preempted", "True", "Preempted", SAYS, 1, 0.0),))
)


def test_preemptor_is_known_once_it_is_seen_and_not_after_it_is_gone():
    uids = GangUids()
    giving = Preemptors(lambda: None, evicted_for, uids)
    giving.read_status(EVICTED)
    assert (giving.preemptor_of(EVICTED.key), giving.victims_of(HOT)) == (None, ())

    uids.learn(gang_fact("hot", uid="u-7"))
    assert (giving.preemptor_of(EVICTED.key), giving.victims_of(HOT)) == (HOT, (EVICTED.key,))

    uids.learn(gang_fact("hot", uid="u-8"))
    assert (giving.preemptor_of(EVICTED.key), giving.victims_of(HOT)) == (None, ())


def test_victim_counts_once_if_it_is_both_decided_and_written():
    uids = GangUids()
    giving = Preemptors(lambda: None, evicted_for, uids)
    uids.learn(gang_fact("hot", uid="u-7"))
    giving.decide(EVICTED.key, HOT)
    giving.read_status(EVICTED)
    assert giving.victims_of(HOT) == (EVICTED.key,)

    giving.finalize(EVICTED.key)
    assert giving.victims_of(HOT) == (EVICTED.key,)
    giving.forget(EVICTED.key)
    assert giving.victims_of(HOT) == ()


def test_gangs_that_are_named_need_no_uid():
    uids = GangUids()

    assert (uids.key(HOT), uids.key(None), uids.key(GangUid("u"))) == (HOT, None, None)
