"""What a gang held from a time to a time, why that ended, and what work was lost."""

from dataclasses import replace

from builders.facts import gang_fact
from builders.recorded import MEMBERS, SPEC, Leader, condition, kept, released, reserved, running
from coschedule import Interruptible
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.reasons import Condition, Reason
from lockstep.facts.records.gang_record import GangOutcome
from lockstep.recorder.history import HistoryFilter, losses_of, opened_history


def losses(path, *records):
    """What the record shows as lost."""
    with opened_history(kept(path, *records)) as connection:
        return [*losses_of(connection, HistoryFilter(since=0, until=200, now=200), 9)]


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


def test_checkpointed_gang_loses_what_it_did_since_its_last_checkpoint_at_most():
    spec = replace(SPEC, interruptible=Interruptible.CHECKPOINTED, checkpoint_interval=20.0)
    leader = Leader()
    for version, status in enumerate([running(), released()]):
        leader.state.apply_gang(gang_fact(version=str(version), spec=spec, status=status))

    assert leader.taken()[0].stretches[0].lost == 20 * 2


def test_gang_that_has_grown_loses_no_more_than_what_it_did_since():
    grown = replace(running(), resized_at=1000.0)
    leader = Leader().see(grown, released(at=1060.0))

    [found] = leader.taken()

    assert [(one.began, one.ended, one.lost) for one in found.stretches] == [(1000, 1060, 60 * 2)]


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
