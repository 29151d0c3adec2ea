"""A gang's next status from what happened: every condition, its order, and when its time moves."""

from dataclasses import replace

import pytest

from builders.facts import gang_fact, gang_spec, role_spec
from builders.statuses import (
    BROKEN,
    GANG,
    LATER,
    NO_ROOM,
    NOW,
    RESERVED,
    no_place,
    no_room,
    placed,
    placement,
    reserved,
    with_status,
)
from coschedule import Members
from coschedule import Reason as PlanReason
from lockstep.api.gangjob.gangjob import parse_gang, status_manifest
from lockstep.facts.cluster.node_request import NodeRequest, NodesAnswer
from lockstep.facts.columns import SLOTS
from lockstep.facts.elastic import ElasticSpec, LastChange, NextSize
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.rejection import Rejected
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.failure import Failure
from lockstep.facts.pods.pace import Cpu, PaceStatus, Unpaced
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.status import attempt_marks, conditions, endings, node_requests, plan_marks

PACE = PaceStatus(
    members=3,
    paced=2,
    given_back=1400,
    message="2 of 3 members are paced, which gives back 1.4 cores.",
    unpaced=(Unpaced("", "main", Cpu(2000, None)), Unpaced("worker", "main", Cpu(2000, 3000))),
)
REFUSAL = Refusal(Reason.UNSUPPORTED_FIELD, "template.spec.nodeName: not yet.")
REJECTION = Refusal(Reason.REJECTED_BY_KUBELETS, "The kubelets of 3 nodes reject its members.")
CHANGING = Failure(
    reason=Reason.CHANGING_SIZE,
    message="grows from 2 to 3 members: there is room for 1 more; it ends 31 min sooner; the change takes about 2 min",
    next_size=NextSize(
        members=(Members("n1", 2), Members("n2", 1)),
        decided_at=NOW + 20,
        expected_finish=NOW + 900,
        why="grows from 2 to 3 members: there is room for 1 more; it ends 31 min sooner; the change takes about 2 min",
    ),
)
OPEN_ENDED = replace(CHANGING, next_size=replace(CHANGING.next_size, expected_finish=None))
FIRST_VISITS = {
    "refused": conditions.mark_refused(GANG, REFUSAL, now=NOW),
    "rejected": conditions.mark_refused(GANG, REJECTION, now=NOW, rejected=Rejected("AppArmor", ("n1", "n2"), "0a")),
    "unplaceable": plan_marks.mark_unplaceable(GANG, NO_ROOM, now=NOW),
    "planned for later": plan_marks.mark_planned_for_later(GANG, LATER, now=NOW),
    **RESERVED,
    "released": attempt_marks.mark_released(GANG, BROKEN, retry_seconds=2, now=NOW),
}
HAPPENINGS = {
    **FIRST_VISITS,
    "placed": placed(),
    "started": attempt_marks.mark_started(with_status(placed()), now=NOW),
    "changing size": attempt_marks.mark_undoing(with_status(placed()), CHANGING, waits="", now=NOW + 30),
    "changing without an end": attempt_marks.mark_undoing(with_status(placed()), OPEN_ENDED, waits="", now=NOW + 30),
    "gone for a change": attempt_marks.mark_released(
        with_status(attempt_marks.mark_undoing(with_status(placed()), CHANGING, waits="", now=NOW + 30)),
        CHANGING,
        retry_seconds=0,
        now=NOW + 40,
    ),
    "paced": attempt_marks.mark_paced(with_status(placed()), PACE),
    "succeeded": endings.mark_succeeded(with_status(placed()), now=NOW + 60),
    "failed": endings.mark_failed(
        with_status(placed()), Reason.MEMBER_FAILED, "pod g-1-0 failed: exit 3", now=NOW + 60
    ),
}


def conditions_of(status):
    return {one.type: (one.status, one.reason) for one in status.conditions}


ALWAYS = (Condition.ACCEPTED, Condition.PLANNED, Condition.PLACED, Condition.COMPLETE)
ACCEPTED = ("True", "SpecUnderstood")
UNFINISHED = ("False", "NotFinished")


@pytest.mark.parametrize(
    ("happening", "want"),
    [
        (
            "refused",
            [("False", "UnsupportedField"), ("False", "NotPlanned"), ("False", "UnsupportedField"), UNFINISHED],
        ),
        (
            "rejected",
            [("False", "RejectedByKubelets"), ("False", "NotPlanned"), ("False", "RejectedByKubelets"), UNFINISHED],
        ),
        ("unplaceable", [ACCEPTED, ("False", "NotEnoughRoom"), ("False", "NotEnoughRoom"), UNFINISHED]),
        ("planned for later", [ACCEPTED, ("True", "StartsLater"), ("False", "StartsLater"), UNFINISHED]),
        ("reserved", [ACCEPTED, ("True", "Reserved"), ("False", "Binding"), UNFINISHED]),
        ("released", [ACCEPTED, ("False", "ReservationReleased"), ("False", "QuotaExceeded"), UNFINISHED]),
        ("placed", [ACCEPTED, ("True", "Reserved"), ("True", "Bound"), UNFINISHED]),
        ("paced", [ACCEPTED, ("True", "Reserved"), ("True", "Bound"), UNFINISHED]),
        ("changing size", [ACCEPTED, ("False", "ChangingSize"), ("False", "Undoing"), UNFINISHED]),
        ("gone for a change", [ACCEPTED, ("False", "ChangingSize"), ("False", "ChangingSize"), UNFINISHED]),
        ("started", [ACCEPTED, ("True", "Reserved"), ("True", "Bound"), UNFINISHED]),
        ("succeeded", [ACCEPTED, ("True", "Reserved"), ("True", "Succeeded"), ("True", "Succeeded")]),
    ],
)
def test_happening(happening, want):
    assert conditions_of(HAPPENINGS[happening]) == dict(zip(ALWAYS, want, strict=True))


def test_gang_that_failed_is_not_complete():
    assert conditions_of(HAPPENINGS["failed"]) == {
        "Accepted": ACCEPTED,
        "Planned": ("True", "Reserved"),
        "Placed": ("True", "MemberFailed"),
        "Complete": ("False", "MemberFailed"),
        "Failed": ("True", "MemberFailed"),
    }


@pytest.mark.parametrize("happening", FIRST_VISITS)
def test_first_visit_writes_every_condition_in_order(happening):
    assert [one.type for one in FIRST_VISITS[happening].conditions] == list(ALWAYS)


@pytest.mark.parametrize("happening", HAPPENINGS)
def test_messages_are_sentences(happening):
    for one in HAPPENINGS[happening].conditions:
        assert one.message.endswith(".")
        assert not one.message.endswith("..")
        assert one.message[0] == one.message[0].upper() or one.reason == "UnsupportedField"


@pytest.mark.parametrize("happening", HAPPENINGS)
def test_conditions_name_the_generation_they_were_made_for(happening):
    assert {one.observed_generation for one in HAPPENINGS[happening].conditions} == {4}


@pytest.mark.parametrize("happening", HAPPENINGS)
def test_status_survives_its_spelling(happening):
    """What is written is what is read back, in whole seconds."""
    status = HAPPENINGS[happening]
    manifest = {name: value for name, value in status_manifest(status).items() if value is not None}
    metadata = {"namespace": "default", "name": "g", "uid": GANG.uid, "generation": 4, "resourceVersion": "2"}

    assert parse_gang({"metadata": metadata, "status": manifest}, GANG).status == status


def test_elastic_gang_keeps_the_size_with_which_it_started():
    elastic = replace(GANG, spec=replace(gang_spec(size=1, most=9), elastic=ElasticSpec(120.0, 600.0)))
    small, large = (replace(placement(elastic, start=NOW), size=size) for size in (2, 4))

    started = reserved(elastic, small, now=NOW)
    changing = replace(elastic, status=replace(started, next_size=CHANGING.next_size))
    changed = reserved(changing, large, attempt=2, now=NOW)
    again = reserved(replace(elastic, status=changed), large, attempt=3, now=NOW)

    assert [one.first_size for one in (started, changed, again)] == [2, 2, 4]
    assert reserved(GANG, small, now=NOW).first_size is None


def test_time_of_a_change_is_kept_until_the_next_one_has_taken_its_own():
    elastic = replace(GANG, spec=replace(gang_spec(size=1, most=9), elastic=ElasticSpec(120.0, 600.0)))
    plan, changes = placement(elastic, start=NOW), CHANGING.next_size
    taken = []

    def follow(status, step):
        taken.append(status.last_change)
        return step(replace(elastic, status=status))

    status = follow(reserved(elastic, plan, now=NOW), lambda gang: attempt_marks.mark_started(gang, now=NOW + 5))
    for begins, started in ((NOW + 100, NOW + 400), (NOW + 1000, NOW + 1030)):
        asked = replace(status, next_size=replace(changes, decided_at=begins))
        status = follow(asked, lambda gang, at=begins: reserved(gang, plan, attempt=2, now=at + 20))
        status = follow(status, lambda gang, at=started: attempt_marks.mark_started(gang, now=at))
    # It loses a member, and starts again at the same size.
    status = follow(reserved(replace(elastic, status=status), plan, now=NOW + 2000), lambda gang: gang.status)
    status = follow(status, lambda gang: attempt_marks.mark_started(gang, now=NOW + 2500))

    first, second = LastChange(NOW + 100), LastChange(NOW + 1000)
    took, took_then = first._replace(seconds=300), second._replace(seconds=30)
    assert taken == [None, None, first, took, second._replace(seconds=300), took_then, took_then]
    assert status.last_change == took_then


def test_written_status_clears_what_does_not_apply():
    manifest = status_manifest(HAPPENINGS["released"])

    assert {name for name, value in manifest.items() if value is None} == {
        "next",
        "resizedAt",
        "lastChange",
        "firstSize",
        "workDone",
        "ranks",
        "memberChanges",
        "failedJoins",
        "unitTimes",
        "pieces",
        "size",
        "start",
        "expectedFinish",
        "effectiveSpeedup",
        "memberPrice",
        "runTimeFactor",
        "members",
        "reservedAt",
        "firstPlannedStart",
        "startedAt",
        "finishedAt",
        "succeededRanks",
        "restarts",
        "restartAt",
        "activeSince",
        "progress",
        "plan",
        "speedupReached",
        "pastRuns",
        "workUsed",
        "pace",
        "rejected",
        "queuedSince",
        "waitedSeconds",
        "after",
    }


def asked_for(gang=GANG):
    """The gang, for which nodes are asked for."""
    request = NodeRequest(
        gang=gang.key, gang_uid=gang.uid, name="g-1", uid="u", created=NOW, templates=(), answer=NodesAnswer()
    )
    waiting = with_status(plan_marks.mark_unplaceable(gang, NO_ROOM, now=NOW))
    return with_status(node_requests.mark_nodes_requested(waiting, 2, request, now=NOW))


@pytest.mark.parametrize(
    "mark",
    [
        pytest.param(lambda gang: conditions.mark_refused(gang, REFUSAL, now=NOW), id="refused"),
        pytest.param(lambda gang: plan_marks.mark_planned_for_later(gang, LATER, now=NOW), id="planned for later"),
        pytest.param(reserved, id="reserved"),
        pytest.param(lambda gang: endings.mark_suspended(gang, now=NOW), id="suspended"),
        pytest.param(
            lambda gang: endings.mark_failed(gang, Reason.DEADLINE_EXCEEDED, "too long", now=NOW), id="failed"
        ),
        pytest.param(lambda gang: attempt_marks.mark_being_deleted(gang, now=NOW), id="being deleted"),
        pytest.param(
            lambda gang: plan_marks.mark_unplaceable(gang, no_place(PlanReason.DEADLINE_CANNOT_BE_MET), now=NOW),
            id="no nodes would help",
        ),
    ],
)
def test_nodes_are_reported_while_they_are_needed(mark):
    gang = asked_for()
    assert gang.status.condition(Condition.NODES_REQUESTED).reason == "NodesRequested"
    assert plan_marks.mark_unplaceable(gang, NO_ROOM, now=NOW) == gang.status

    assert mark(gang).condition(Condition.NODES_REQUESTED) is None


def test_time_of_a_condition_moves_only_when_it_flips():
    first = plan_marks.mark_unplaceable(GANG, NO_ROOM, now=NOW)
    other_words = no_room("Needs 3 nodes; 1 is there.")
    second = plan_marks.mark_unplaceable(with_status(first), other_words, now=NOW + 10)
    third = reserved(with_status(second), now=NOW + 20)
    fourth = attempt_marks.mark_placed(with_status(third), now=NOW + 30)

    times = [[one.last_transition - NOW for one in status.conditions] for status in (first, second, third, fourth)]
    assert times == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 20, 0, 0], [0, 20, 30, 0]]
    assert second.condition(Condition.PLANNED).message == "Needs 3 nodes; 1 is there."


def test_repeating_what_stands_changes_nothing():
    first = plan_marks.mark_unplaceable(GANG, NO_ROOM, now=NOW)

    assert plan_marks.mark_unplaceable(with_status(first), NO_ROOM, now=NOW + 99) == first


def test_new_generation_is_named_though_nothing_flips():
    first = plan_marks.mark_unplaceable(GANG, NO_ROOM, now=NOW)
    second = plan_marks.mark_unplaceable(replace(with_status(first), generation=5), NO_ROOM, now=NOW)

    assert second.condition(Condition.PLANNED).observed_generation == 5


def test_message_has_a_limit():
    endless = no_room("x" * 100_000)

    assert len(plan_marks.mark_unplaceable(GANG, endless, now=NOW).condition(Condition.PLANNED).message) == 32_768


def test_end_gives_the_nodes_back_and_keeps_what_was():
    status = HAPPENINGS["succeeded"]

    assert (status.reserved_at, status.finished_at) == (None, NOW + 60)
    assert (status.size, status.members) == (3, (Members("n1", 2), Members("n2", 1)))


def test_status_without_conditions_has_none():
    assert GangStatus().condition(Condition.PLACED) is None
    assert not GangStatus().is_true(Condition.PLACED)


def test_what_is_not_weighed_is_named_for_each_role():
    roles = [replace(role_spec(name), not_weighed=(f"roles[{name}].wish",)) for name in ("a", "b")]
    gang = replace(GANG, spec=replace(GANG.spec, roles=tuple(roles)))

    assert reserved(gang).condition(Condition.ACCEPTED).message == (
        "Lockstep can do what the spec says. Lockstep ignores these preferences: roles[a].wish, roles[b].wish."
    )


EVICTED = Failure(reason=Reason.PREEMPTED, message="gang default/hot, of priority 5, takes the place of this gang")


def test_preempted_gang_names_its_preemptor_until_it_is_placed_again():
    undoing = attempt_marks.mark_undoing(with_status(placed()), EVICTED, waits="", now=NOW)
    released = attempt_marks.mark_released(with_status(undoing), EVICTED, retry_seconds=0, now=NOW)
    again = attempt_marks.mark_placed(with_status(released), now=NOW)

    assert undoing.condition("Preempted").message == "Gang default/hot, of priority 5, takes the place of this gang."
    assert conditions_of(released)["Preempted"] == ("True", "Preempted")
    assert released.condition("Planned").message == "The gang is planned again at once."
    assert conditions_of(again)["Preempted"] == ("False", "Bound")


def test_gang_that_was_never_preempted_has_no_such_condition():
    assert "Preempted" not in conditions_of(placed())


def test_gang_whose_members_request_nothing_is_accepted_with_a_warning():
    says = conditions.mark_accepted(gang_fact("g", spec=gang_spec(request=(("pods", 1), (SLOTS, 1)))), NOW).condition(
        "Accepted"
    )

    assert (says.status, says.reason) == ("True", "SpecUnderstood")
    assert says.message == (
        "Lockstep can do what the spec says. Warning: the members of template request no resources. Lockstep plans "
        "as if any number of them had room on one node, at full speed. Set resources.requests.cpu."
    )


def test_gang_whose_pods_are_not_there_yet_is_accepted_without_a_warning_of_what_they_request():
    gang = gang_fact(
        "g",
        spec=replace(gang_spec(request=()), awaits_pods="No pod of the Gang waits for a node. It needs 2 together."),
    )

    assert "Warning" not in conditions.mark_accepted(gang, NOW).condition("Accepted").message


def test_gang_whose_members_request_something_is_accepted_without():
    says = conditions.mark_accepted(gang_fact("g", spec=gang_spec(request=(("nvidia.com/gpu", 1), ("pods", 1)))), NOW)

    assert "Warning" not in says.condition("Accepted").message
