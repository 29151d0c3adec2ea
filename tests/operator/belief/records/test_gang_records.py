"""What is on record of a gang follows from its statuses, in one process as in several that lead in turn."""

import sqlite3
from dataclasses import replace
from functools import reduce
from itertools import pairwise

import pytest

from builders.facts import gang_fact, gang_spec, reservation, start_estimate
from builders.recorded import Leader, condition, kept, released, reserved, running, succeeded
from coschedule import Members
from lockstep.api.records.record_maps import parse_records, record_line
from lockstep.belief.records import gang_records
from lockstep.belief.records.gang_records import GangRecords
from lockstep.belief.state import State
from lockstep.facts.fair_share import OTHERS, FairShare, NamedGroup
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.reasons import Condition, Reason
from lockstep.facts.records.gang_record import MOST_STRETCHES, GangOutcome, merged


def test_record_of_a_gang_that_was_preempted_and_then_succeeded():
    gave_way = "gang default/urgent, of priority 9, takes the place of this gang."
    preempted = condition(Condition.PREEMPTED, "True", Reason.PREEMPTED, gave_way.capitalize(), 150)
    leader = Leader().see(
        GangStatus(),
        GangStatus(plan=start_estimate(110.0, promised_start=130.0)),
        reserved(),
        running(),
        replace(running(), conditions=(preempted,)),
        released(Reason.PREEMPTED, conditions=(preempted,)),
        released(Reason.PREEMPTED, conditions=(preempted,), plan=start_estimate(170.0, promised_start=190.0)),
        reserved(2, 170.0),
        running(2, 170.0),
        succeeded(200.0, 2, 170.0),
    )

    [found] = leader.taken()

    first, second = found.stretches
    assert (found.user, found.group, found.template) == ("ada", "physics", "f" * 32)
    assert (found.created, found.promised, found.started, found.predicted) == (90, 130, 110, 150)
    assert (found.outcome, found.ended, found.attempts) == (GangOutcome.SUCCEEDED, 200, 2)
    assert (first.began, first.ended, first.reason, first.preemptor) == (100, 160, "Preempted", "default/urgent")
    assert first.lost == (160 - 110) * 2
    assert (second.key, second.ended, second.reason, second.lost) == ((2, 170), 200, "Succeeded", 0)
    assert (first.members, first.millicores, first.memory, first.gpus) == (2, 4000, 2**31, 2)
    assert first.kinds == (("", 1), ("fast", 1))


@pytest.mark.parametrize(("namespaces", "want"), [(("default", "fold"), "biology"), (("fold",), "others")])
def test_group_is_that_of_the_fair_share_if_there_is_one(namespaces, want):
    leader = Leader()
    groups = (NamedGroup("biology", 1, namespaces), NamedGroup(OTHERS, 1, ()))
    leader.state.shares.apply(FairShare(uid="f", resource_version="1", groups=groups))

    [found] = leader.see(GangStatus()).taken()

    assert found.group == want


LIFE = [
    GangStatus(),
    reserved(),
    running(),
    released(),
    reserved(2, 170.0),
    running(2, 170.0),
    succeeded(200.0, 2, 170.0),
]


@pytest.mark.parametrize("change", range(1, len(LIFE)))
def test_two_processes_that_lead_in_turn_record_what_one_does(change):
    [want] = Leader().see(*LIFE).taken()
    first = Leader().see(*LIFE[:change])
    second = Leader(*first.state.gangs.values()).see(*LIFE[change:])

    parts = [*first.taken(), *second.taken()]

    assert reduce(merged, parts) == want


@pytest.mark.parametrize("change", range(1, len(LIFE) + 1))
def test_gang_that_lives_again_after_etcd_was_set_back_is_on_record_once_and_never_twice_at_once(change, tmp_path):
    """Its attempts have the same numbers at other times, and records that were taken away come back."""
    leader = Leader().see(*LIFE[:change])
    before = leader.taken()
    after = leader.see(GangStatus(), reserved(1, 300.0), running(1, 300.0), succeeded(400.0, 1, 300.0)).taken()

    database = kept(tmp_path / "record.db", *before, *after, *before)

    with sqlite3.connect(database) as connection:
        gangs = connection.execute("SELECT outcome, ended FROM gangs").fetchall()
        held = connection.execute("SELECT began, ended, attempt, reason FROM stretches ORDER BY began").fetchall()
    assert gangs == [("Succeeded", 400)]
    assert held[-1] == (300, 400, 1, "Succeeded")
    assert all(one[1] is not None and one[1] <= following[0] for one, following in pairwise(held)), held


def test_gang_that_is_deleted_while_it_runs_ends_then():
    leader = Leader().see(running())
    leader.state.remove_gang(gang_fact().key, gang_fact().uid)
    leader.state.advance_to(180.0)

    [found] = leader.taken()

    assert (found.outcome, found.ended) == (GangOutcome.DELETED, 180)
    assert (found.stretches[0].ended, found.stretches[0].lost) == (180, (180 - 110) * 2)


def test_gang_that_goes_back_to_an_earlier_version_after_a_restore_has_not_ended():
    leader = Leader().see(running())
    gang = leader.state.gangs[gang_fact().key]
    leader.state.remove_gang(gang.key, gang.uid)
    leader.state.apply_gang(replace(gang, resource_version="1"))
    leader.state.advance_to(180.0)

    [found] = leader.taken()

    assert (found.outcome, found.ended) == (GangOutcome.OPEN, None)
    assert (found.stretches[0].ended, found.stretches[0].lost) == (None, 0)


def test_end_stays_when_the_gang_is_deleted_after_it():
    leader = Leader().see(running(), succeeded())
    leader.state.remove_gang(gang_fact().key, gang_fact().uid)
    leader.state.advance_to(900.0)

    assert [(one.outcome, one.ended) for one in leader.taken()] == [(GangOutcome.SUCCEEDED, 200)]


def test_gang_that_ended_before_this_process_led_is_recorded_though_it_is_deleted_at_once():
    leader = Leader(*Leader().see(running(), succeeded()).state.gangs.values())
    leader.state.remove_gang(gang_fact().key, gang_fact().uid)
    leader.state.advance_to(900.0)

    assert [(one.outcome, one.stretches[0].ended) for one in leader.taken()] == [(GangOutcome.SUCCEEDED, 200)]


def test_users_are_unknown_unless_a_policy_names_them():
    [found] = Leader(has_users=False).see(running()).taken()

    assert found.user == ""


def test_version_in_which_nothing_of_a_record_changes_makes_none():
    leader = Leader().see(running())
    leader.taken()

    assert leader.see(replace(running(), progress="0.5")).taken() == []


def test_nothing_is_recorded_before_it_begins():
    records = GangRecords(lambda _: "", lambda _: "", lambda _: reservation())
    records.gang_applied(None, gang_fact())
    records.gang_removed(gang_fact())

    assert records.take() is None


def test_namespace_with_the_most_records_loses_its_oldest_one_where_there_are_too_many(monkeypatch):
    monkeypatch.setattr(gang_records, "MOST_WAITING", 4)
    records = GangRecords(lambda _: "", lambda _: "", lambda _: None)
    records.begin((), has_users=False)
    for number in range(6):
        records.gang_applied(None, gang_fact(f"many-{number}"))
    quiet = gang_fact("quiet")
    records.gang_applied(None, replace(quiet, key=quiet.key._replace(namespace="other")))

    names = [one.name for one in iter(records.take, None)]

    assert names == ["many-3", "quiet", "many-4", "many-5"]
    assert (records.dropped, len(records)) == (3, 0)


def test_namespace_that_has_lost_its_only_record_leaves_the_records_of_others(monkeypatch):
    monkeypatch.setattr(gang_records, "MOST_WAITING", 1)
    records = GangRecords(lambda _: "", lambda _: "", lambda _: None)
    records.begin((), has_users=False)
    for namespace in ("first", "second"):
        gang = gang_fact()
        records.gang_applied(None, replace(gang, key=gang.key._replace(namespace=namespace)))

    assert [one.namespace for one in iter(records.take, None)] == ["second"]


def test_stretches_of_one_gang_that_wait_are_bounded():
    leader = Leader().see(
        *(status for n in range(30) for status in (reserved(n, 100.0 + n), released(attempt=n, at=500)))
    )

    [found] = leader.taken()

    assert len(found.stretches) == MOST_STRETCHES
    assert leader.state.records.dropped > 0


def test_records_that_are_put_back_go_first_and_are_joined_to_what_came_meanwhile():
    records = GangRecords(lambda _: "", lambda _: "", lambda _: None)
    records.begin((), has_users=False)
    for name in "abc":
        records.gang_applied(None, gang_fact(name))
    taken = [records.take(), records.take()]
    records.gang_applied(None, gang_fact("b", status=succeeded()))

    records.put_back(taken)

    found = list(iter(records.take, None))
    assert [one.name for one in found] == ["a", "b", "c"]
    assert found[1].outcome is GangOutcome.SUCCEEDED


def test_amounts_of_a_record_are_such_that_the_recorder_takes_it():
    """The largest gang with the largest request: else its record would be refused, and the tenant would have none."""
    most = GangStatus(attempt=1, reserved_at=100.0, start=100.0, members=(Members("n1", 10_000),), size=10_000)
    state = State(lambda: None)
    state.records.begin([], has_users=False)
    state.apply_gang(gang_fact(spec=gang_spec(request=(("cpu", 2**49), ("memory", 2**49))), status=most))

    [line] = [record_line(one) for one in iter(state.records.take, None)]

    assert parse_records({"data": {"records.jsonl": line.decode()}}).problem == ""
