"""What is on record of a gang follows from its statuses, in one process as in several that lead in turn."""

import sqlite3
from dataclasses import replace
from functools import reduce
from itertools import pairwise

import pytest

from builders.facts import gang_fact, gang_spec, node_fact, reservation
from coschedule import Interruptible, Members
from lockstep.api.records.record_maps import parse_records, record_line
from lockstep.belief.records import gang_records
from lockstep.belief.records.gang_records import GangRecords
from lockstep.belief.state import State
from lockstep.facts.cluster.cluster import NamespaceFact
from lockstep.facts.cluster.node import KIND_LABEL
from lockstep.facts.fair_share import OTHERS, FairShare, NamedGroup
from lockstep.facts.gang.gang import ConditionFact, GangStatus
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.reasons import Condition, Reason
from lockstep.facts.records.gang_record import MOST_STRETCHES, GangOutcome, merged
from lockstep.recorder.database import RecordDatabase, Retention
from lockstep.recorder.history import HistoryFilter, losses_of, opened_history

REQUEST = (("cpu", 2000), ("memory", 2**30), ("nvidia.com/gpu", 1))
SPEC = gang_spec(request=REQUEST, run_template="f" * 32)
MEMBERS = (Members("n1", 1), Members("n2", 1))


def condition(kind, status, reason, message="", at=0.0):
    return ConditionFact(kind, status, reason, message, 1, at)


def reserved(attempt=1, at=100.0, **more):
    return GangStatus(
        attempt=attempt, reserved_at=at, start=at, members=MEMBERS, size=2, expected_finish=at + 50, **more
    )


def running(attempt=1, at=100.0, **more):
    return replace(reserved(attempt, at), started_at=at + 10, **more)


def released(reason=Reason.POD_LOST, at=160.0, attempt=1, **more):
    placed = condition(Condition.PLACED, "False", reason, "Attempt 1 was undone.", at)
    return GangStatus(attempt=attempt, conditions=(placed, *more.pop("conditions", ())), **more)


def succeeded(at=200.0, attempt=1, began=100.0):
    end = condition(Condition.COMPLETE, "True", Reason.SUCCEEDED, "All 2 members have succeeded.", at)
    return replace(running(attempt, began), reserved_at=None, finished_at=at, conditions=(end,))


class Leader:
    """A process that leads, and the versions of a gang that it sees."""

    def __init__(self, *there, has_users=True):
        self.state = State(lambda: None)
        self.state.nodes.apply(node_fact("n1", labels={KIND_LABEL: "fast"}))
        self.state.nodes.apply(node_fact("n2"))
        self.state.namespaces.apply(NamespaceFact("default", {"lockstep.dev/group": "physics"}))
        for gang in there:
            self.state.apply_gang(gang)
        self.state.records.begin(self.state.gangs, has_users=has_users)
        self.version = max((int(gang.resource_version) for gang in there), default=1)

    def see(self, *statuses, **more):
        for status in statuses:
            self.version += 1
            gang = gang_fact(version=str(self.version), created=90.0, spec=SPEC, status=status)
            self.state.apply_gang(replace(gang, user="ada", **more))
        return self

    def taken(self):
        for _ in self.state.records.catching_up(self.state.gangs):
            pass
        return list(iter(self.state.records.take, None))


def test_record_of_a_gang_that_was_preempted_and_then_succeeded():
    gave_way = "gang default/urgent, of priority 9, takes the place of this gang."
    preempted = condition(Condition.PREEMPTED, "True", Reason.PREEMPTED, gave_way.capitalize(), 150)
    leader = Leader().see(
        GangStatus(first_planned_start=110.0),
        reserved(first_planned_start=110.0),
        running(first_planned_start=110.0),
        replace(running(), conditions=(preempted,)),
        released(Reason.PREEMPTED, conditions=(preempted,)),
        reserved(2, 170.0),
        running(2, 170.0),
        succeeded(200.0, 2, 170.0),
    )

    [found] = leader.taken()

    first, second = found.stretches
    assert (found.user, found.group, found.template) == ("ada", "physics", "f" * 32)
    assert (found.created, found.promised, found.started, found.predicted) == (90, 110, 110, 150)
    assert (found.outcome, found.ended, found.attempts) == (GangOutcome.SUCCEEDED, 200, 2)
    assert (first.began, first.ended, first.reason, first.preemptor) == (100, 160, "Preempted", "default/urgent")
    assert first.lost == (160 - 110) * 2
    assert (second.key, second.ended, second.reason, second.lost) == ((2, 170), 200, "Succeeded", 0)
    assert (first.members, first.millicores, first.memory, first.gpus) == (2, 4000, 2**31, 2)
    assert first.kinds == (("", 1), ("fast", 1))


def test_attempt_that_is_undone_before_its_start_is_shown_with_its_reason_and_loses_no_work(tmp_path):
    """Its members held their nodes until it was undone, such as after a binding that was refused."""
    undoing = condition(Condition.PLACED, "False", Reason.UNDOING, at=120)
    undone = released(Reason.BIND_INTERRUPTED, 130)
    leader = Leader().see(reserved(), reserved(conditions=(undoing,)), undone, reserved(2, 140.0))

    [found] = leader.taken()

    first, following = found.stretches
    assert (first.key, first.ended, first.members, first.lost) == ((1, 100), 130, 2, 0)
    assert (first.reason, first.message) == ("BindInterrupted", "Attempt 1 was undone.")
    assert (following.key, following.ended, found.started) == ((2, 140), None, None)
    [loss] = losses(tmp_path / "record.db", found)
    want = {"at": 130, "attempt": 1, "reason": "BindInterrupted", "preemptor": "", "members": 2, "lost member-hours": 0}
    assert want.items() <= loss.items()


def kept(path, *records):
    """The file with these records."""
    database = RecordDatabase.open(path, Retention(records=1e9, users=1e9, most_bytes=2**30), 200)
    database.take_in(records, 200)
    database.close()
    return path


def losses(path, *records):
    """What the record shows as lost."""
    with opened_history(kept(path, *records)) as connection:
        return [*losses_of(connection, HistoryFilter(since=0, until=200, now=200), 9)]


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


def test_urgent_gang_of_another_namespace_is_on_record_by_its_uid():
    why = "A gang of another namespace, of priority 9 and UID 1-2-3, takes the place of this gang."
    preempted = condition(Condition.PREEMPTED, "True", "GangPreempted", why, 160)

    [found] = Leader().see(reserved(), running(), released(Reason.PREEMPTED, conditions=(preempted,))).taken()

    assert found.stretches[0].preemptor == "1-2-3"


def test_change_of_size_ends_a_stretch_at_its_time_and_names_the_urgent_gang():
    why = "Shrinks from 2 to 1 member for urgent gang default/urgent, of priority 9."
    shrunk = condition(Condition.PREEMPTED, "False", Reason.SHRUNK_FOR_GANG, why, 130)
    smaller = replace(running(), members=MEMBERS[:1], resized_at=140.0, conditions=(shrunk,))

    [found] = Leader().see(reserved(), running(), smaller).taken()

    first, second = found.stretches
    assert (first.ended, first.reason, first.preemptor, first.lost) == (140, "ChangingSize", "default/urgent", 0)
    assert (second.key, second.members, second.ended) == ((1, 140), 1, None)


def test_gang_of_others_pods_has_a_stretch_for_each_size_while_its_pods_are_on_nodes():
    def placed(members, status="True", **more):
        bound = condition(Condition.PLACED, status, Reason.BOUND if status == "True" else Reason.AWAITS_PODS, at=300.0)
        return GangStatus(attempt=1, start=100.0, started_at=110.0, members=members, conditions=(bound,), **more)

    leader = Leader()
    key = pod_gang_key("default", "g")
    gone = replace(placed((), "False"), started_at=None)
    for status in (reserved(), placed(MEMBERS), placed(MEMBERS[:1], resized_at=200.0), gone):
        leader.see(status, key=key)

    [found] = leader.taken()

    assert (found.kind, found.name, found.outcome) == ("Gang", "g", GangOutcome.OPEN)
    assert [(one.began, one.ended, one.members, one.reason) for one in found.stretches] == [
        (100, 200, 2, "ChangingSize"),
        (200, 300, 1, "AwaitsPods"),
    ]


def test_gang_that_is_deleted_while_it_runs_ends_then():
    leader = Leader().see(running())
    leader.state.remove_gang(gang_fact().key, gang_fact().uid)
    leader.state.advance_to(180.0)

    [found] = leader.taken()

    assert (found.outcome, found.ended) == (GangOutcome.DELETED, 180)
    assert (found.stretches[0].ended, found.stretches[0].lost) == (180, (180 - 110) * 2)


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


def test_checkpointed_gang_loses_what_it_did_since_its_last_checkpoint_at_most():
    spec = replace(SPEC, interruptible=Interruptible.CHECKPOINTED, checkpoint_interval=20.0)
    leader = Leader()
    for version, status in enumerate([running(), released()]):
        leader.state.apply_gang(gang_fact(version=str(version), spec=spec, status=status))

    assert leader.taken()[0].stretches[0].lost == 20 * 2


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


def test_gang_that_has_grown_loses_no_more_than_what_it_did_since():
    grown = replace(running(), resized_at=1000.0)
    leader = Leader().see(grown, released(at=1060.0))

    [found] = leader.taken()

    assert [(one.began, one.ended, one.lost) for one in found.stretches] == [(1000, 1060, 60 * 2)]


def test_amounts_of_a_record_are_such_that_the_recorder_takes_it():
    """The largest gang with the largest request: else its record would be refused, and the tenant would have none."""
    most = GangStatus(attempt=1, reserved_at=100.0, start=100.0, members=(Members("n1", 10_000),), size=10_000)
    state = State(lambda: None)
    state.records.begin([], has_users=False)
    state.apply_gang(gang_fact(spec=gang_spec(request=(("cpu", 2**49), ("memory", 2**49))), status=most))

    [line] = [record_line(one) for one in iter(state.records.take, None)]

    assert parse_records({"data": {"records.jsonl": line.decode()}}).problem == ""


def test_record_says_for_which_gang_pods_of_others_have_left():
    why = (
        "A gang of another namespace, of priority 0 and UID 1-2-3, takes the place of this gang: the group of that "
        "gang has used less."
    )
    taken = condition(Condition.PREEMPTED, "True", Reason.RECLAIMED, why, 300)
    bound = condition(Condition.PLACED, "True", Reason.BOUND, at=110.0)
    awaits = condition(Condition.PLACED, "False", Reason.AWAITS_PODS, "It awaits 2 pods.", 300.0)
    placed = GangStatus(attempt=1, start=100.0, started_at=110.0, members=MEMBERS, conditions=(bound,))

    leader, key = Leader(), pod_gang_key("default", "g")
    for status in (reserved(), placed, GangStatus(attempt=1, members=MEMBERS, conditions=(awaits, taken))):
        leader.see(status, key=key)

    [found] = leader.taken()
    [stretch] = found.stretches
    assert (stretch.reason, stretch.message, stretch.preemptor) == ("Reclaimed", why, "1-2-3")
