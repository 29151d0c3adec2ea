"""A gang's next status from what happened: every condition, its order, and when its time moves."""

import math
from dataclasses import replace

import pytest

from builders.facts import gang_fact, gang_spec, role_spec
from coschedule import GangKey, Members, Pieces, Placement, Share, Spelled, Unplaceable
from coschedule import Reason as PlanReason
from lockstep.api.gangjob import parse_gang, status_manifest
from lockstep.facts.columns import SLOTS
from lockstep.facts.failure import Failure
from lockstep.facts.gang import GangStatus, Refusal
from lockstep.facts.node_request import NodeRequest, NodesAnswer
from lockstep.facts.pace import Cpu, PaceStatus, Unpaced
from lockstep.facts.past_runs import Learned
from lockstep.facts.reasons import Condition, Reason
from lockstep.report import conditions, endings, node_requests

NOW = 1000.0
GANG = gang_fact("g", generation=4)
PLACEMENT = Placement(
    gang=GANG.key,
    size=3,
    start=NOW,
    finish=NOW + 60,
    speedup=2.5,
    members=(Members("n1", 2), Members("n2", 1)),
    slowest="n1",
    latest=None,
    alternative=None,
)
LATER = replace(PLACEMENT, start=NOW + 40)
SHARED = replace(PLACEMENT, members=(Members("n1", 2, Share(2 / 7)), Members("n2", 1, Share(3 / 7))))
IN_PIECES = replace(
    PLACEMENT, members=(Members("n1", 1, Pieces(5)), Members("n1", 1, Pieces(4)), Members("n2", 1, Pieces(9)))
)


def no_place(reason, sentence="Not so."):
    return Unplaceable(gang=GANG.key, refusal=Spelled(reason=reason, sentence=sentence))


def no_room(sentence):
    return no_place(PlanReason.NOT_ENOUGH_ROOM, sentence)


NO_ROOM = no_room("Needs 3 nodes; 2 are there.")
PACE = PaceStatus(
    members=3,
    paced=2,
    given_back=1400,
    message="Paced: 2 of 3 members, 1.4 cores given back.",
    unpaced=(Unpaced("", "main", Cpu(2000, None)), Unpaced("worker", "main", Cpu(2000, 3000))),
)
REFUSAL = Refusal(Reason.UNSUPPORTED_FIELD, "template.spec.nodeName: not yet.")
BROKEN = Failure(reason=Reason.QUOTA_EXCEEDED, message="the API server refused pod g-1-0: exceeded quota")


def with_status(status):
    return replace(GANG, status=status)


def reserved(gang=GANG, now=NOW):
    return conditions.mark_reserved(gang, PLACEMENT, attempt=1, now=now)


def placed(now=NOW):
    return conditions.mark_placed(with_status(reserved()), now=now)


FIRST_VISITS = {
    "refused": conditions.mark_refused(GANG, REFUSAL, now=NOW),
    "unplaceable": conditions.mark_unplaceable(GANG, NO_ROOM, now=NOW),
    "planned for later": conditions.mark_planned_for_later(GANG, LATER, now=NOW),
    "reserved": reserved(),
    "reserved with shares": conditions.mark_reserved(GANG, SHARED, attempt=1, now=NOW),
    "reserved with pieces": conditions.mark_reserved(GANG, IN_PIECES, attempt=1, now=NOW),
    "released": conditions.mark_released(GANG, BROKEN, retry_seconds=2, now=NOW),
}
HAPPENINGS = {
    **FIRST_VISITS,
    "placed": placed(),
    "started": conditions.mark_started(with_status(placed()), now=NOW),
    "paced": conditions.mark_paced(with_status(placed()), PACE),
    "succeeded": endings.mark_succeeded(with_status(placed()), now=NOW + 60),
    "failed": endings.mark_failed(
        with_status(placed()), Reason.MEMBER_FAILED, "pod g-1-0 failed: exit 3", now=NOW + 60
    ),
}


def told(status):
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
        ("unplaceable", [ACCEPTED, ("False", "NotEnoughRoom"), ("False", "NotEnoughRoom"), UNFINISHED]),
        ("planned for later", [ACCEPTED, ("True", "StartsLater"), ("False", "StartsLater"), UNFINISHED]),
        ("reserved", [ACCEPTED, ("True", "Reserved"), ("False", "Binding"), UNFINISHED]),
        ("released", [ACCEPTED, ("False", "ReservationReleased"), ("False", "QuotaExceeded"), UNFINISHED]),
        ("placed", [ACCEPTED, ("True", "Reserved"), ("True", "Bound"), UNFINISHED]),
        ("paced", [ACCEPTED, ("True", "Reserved"), ("True", "Bound"), UNFINISHED]),
        ("started", [ACCEPTED, ("True", "Reserved"), ("True", "Bound"), UNFINISHED]),
        ("succeeded", [ACCEPTED, ("True", "Reserved"), ("True", "Succeeded"), ("True", "Succeeded")]),
    ],
)
def test_happening(happening, want):
    assert told(HAPPENINGS[happening]) == dict(zip(ALWAYS, want, strict=True))


def test_gang_that_failed_is_not_complete():
    assert told(HAPPENINGS["failed"]) == {
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


def test_written_status_clears_what_does_not_apply():
    manifest = status_manifest(HAPPENINGS["released"])

    assert {name for name, value in manifest.items() if value is None} == {
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
    }


def asked_for(gang=GANG):
    """The gang, for which nodes are asked for."""
    request = NodeRequest(
        gang=gang.key, gang_uid=gang.uid, name="g-1", uid="u", created=NOW, templates=(), answer=NodesAnswer()
    )
    waiting = with_status(conditions.mark_unplaceable(gang, NO_ROOM, now=NOW))
    return with_status(node_requests.mark_nodes_requested(waiting, request, now=NOW))


@pytest.mark.parametrize(
    "mark",
    [
        pytest.param(lambda gang: conditions.mark_refused(gang, REFUSAL, now=NOW), id="refused"),
        pytest.param(lambda gang: conditions.mark_planned_for_later(gang, LATER, now=NOW), id="planned for later"),
        pytest.param(reserved, id="reserved"),
        pytest.param(lambda gang: endings.mark_suspended(gang, now=NOW), id="suspended"),
        pytest.param(
            lambda gang: endings.mark_failed(gang, Reason.DEADLINE_EXCEEDED, "too long", now=NOW), id="failed"
        ),
        pytest.param(lambda gang: conditions.mark_being_deleted(gang, now=NOW), id="being deleted"),
        pytest.param(
            lambda gang: conditions.mark_unplaceable(gang, no_place(PlanReason.DEADLINE_CANNOT_BE_MET), now=NOW),
            id="no nodes would help",
        ),
    ],
)
def test_nodes_are_told_of_while_they_are_needed(mark):
    gang = asked_for()
    assert gang.status.condition(Condition.NODES_REQUESTED).reason == "NodesRequested"
    assert conditions.mark_unplaceable(gang, NO_ROOM, now=NOW) == gang.status

    assert mark(gang).condition(Condition.NODES_REQUESTED) is None


def test_time_of_a_condition_moves_only_when_it_flips():
    first = conditions.mark_unplaceable(GANG, NO_ROOM, now=NOW)
    other_words = no_room("Needs 3 nodes; 1 is there.")
    second = conditions.mark_unplaceable(with_status(first), other_words, now=NOW + 10)
    third = reserved(with_status(second), now=NOW + 20)
    fourth = conditions.mark_placed(with_status(third), now=NOW + 30)

    times = [[one.last_transition - NOW for one in status.conditions] for status in (first, second, third, fourth)]
    assert times == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 20, 0, 0], [0, 20, 30, 0]]
    assert second.condition(Condition.PLANNED).message == "Needs 3 nodes; 1 is there."


def test_repeating_what_stands_changes_nothing():
    first = conditions.mark_unplaceable(GANG, NO_ROOM, now=NOW)

    assert conditions.mark_unplaceable(with_status(first), NO_ROOM, now=NOW + 99) == first


def test_new_generation_is_named_though_nothing_flips():
    first = conditions.mark_unplaceable(GANG, NO_ROOM, now=NOW)
    second = conditions.mark_unplaceable(replace(with_status(first), generation=5), NO_ROOM, now=NOW)

    assert second.condition(Condition.PLANNED).observed_generation == 5


def test_message_has_a_limit():
    endless = no_room("x" * 100_000)

    assert len(conditions.mark_unplaceable(GANG, endless, now=NOW).condition(Condition.PLANNED).message) == 32_768


def test_reservation_says_what_it_will_make():
    status = reserved()

    assert (status.attempt, status.size, status.members) == (1, 3, (Members("n1", 2), Members("n2", 1)))
    assert (status.start, status.expected_finish, status.reserved_at) == (NOW, NOW + 60, NOW)
    assert status.effective_speedup == "2.5"


@pytest.mark.parametrize(
    ("share", "want"),
    [
        pytest.param(2 / 7, "0.285714285714", id="twelve decimals"),
        pytest.param(1 / 4, "0.25", id="no trailing zeros"),
        pytest.param(1.0, "1", id="all"),
        pytest.param(1e-5, "0.00001", id="no exponent"),
        pytest.param(1e-14, "0", id="hardly anything"),
    ],
)
def test_share_is_a_decimal(share, want):
    placement = replace(PLACEMENT, size=1, members=(Members("n1", 1, Share(share)),))

    [written] = status_manifest(conditions.mark_reserved(GANG, placement, attempt=1, now=NOW))["members"]
    assert written == {"node": "n1", "count": 1, "share": want}


def test_pieces_are_reserved_with_their_members():
    assert HAPPENINGS["reserved with pieces"].members == (
        Members("n1", 1, Pieces(5)),
        Members("n1", 1, Pieces(4)),
        Members("n2", 1, Pieces(9)),
    )


@pytest.mark.parametrize(
    ("happening", "want"),
    [
        ("reserved", [{"node": "n1", "count": 2}, {"node": "n2", "count": 1}]),
        (
            "reserved with shares",
            [
                {"node": "n1", "count": 2, "share": "0.285714285714"},
                {"node": "n2", "count": 1, "share": "0.428571428571"},
            ],
        ),
        (
            "reserved with pieces",
            [
                {"node": "n1", "count": 1, "pieces": 5},
                {"node": "n1", "count": 1, "pieces": 4},
                {"node": "n2", "count": 1, "pieces": 9},
            ],
        ),
    ],
)
def test_members_are_written_with_what_the_load_gives_them_and_no_more(happening, want):
    assert status_manifest(HAPPENINGS[happening])["members"] == want


def test_unknown_run_time_has_no_finish():
    endless = replace(PLACEMENT, finish=math.inf, speedup=None)
    status = conditions.mark_reserved(GANG, endless, attempt=1, now=NOW)

    assert (status.expected_finish, status.effective_speedup) == (None, None)


def test_first_planned_start_is_never_moved():
    planned = conditions.mark_planned_for_later(GANG, LATER, now=NOW)
    put_off = conditions.mark_planned_for_later(with_status(planned), replace(LATER, start=NOW + 90), now=NOW + 50)
    status = conditions.mark_reserved(with_status(put_off), replace(PLACEMENT, start=NOW + 90), attempt=1, now=NOW + 90)

    assert status.first_planned_start == NOW + 40


@pytest.mark.parametrize("happening", ["unplaceable", "released"])
def test_gang_without_a_plan_keeps_nothing_of_an_earlier_one(happening):
    earlier = with_status(conditions.mark_planned_for_later(GANG, LATER, now=NOW))
    status = {
        "unplaceable": lambda: conditions.mark_unplaceable(earlier, NO_ROOM, now=NOW),
        "released": lambda: conditions.mark_released(earlier, BROKEN, retry_seconds=1, now=NOW),
    }[happening]()

    assert (status.size, status.start, status.expected_finish, status.members) == (None, None, None, ())
    assert (status.effective_speedup, status.reserved_at) == (None, None)


def test_release_says_why_and_when_the_gang_is_planned_again():
    status = conditions.mark_released(with_status(reserved()), BROKEN, retry_seconds=8, now=NOW)

    assert status.condition(Condition.PLACED).message == f"Attempt 1 was undone: {BROKEN.message}."
    assert status.condition(Condition.PLANNED).message == "The gang is planned again in 8 s."
    assert status.attempt == 1


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
        "Everything the spec asks for can be obeyed. What it only prefers is not weighed: roles[a].wish, roles[b].wish."
    )


EVICTED = Failure(reason=Reason.PREEMPTED, message="gang default/hot, of priority 5, takes its place")


def test_preempted_gang_says_for_whom_until_it_is_placed_again():
    undoing = conditions.mark_undoing(with_status(placed()), EVICTED, waits="", now=NOW)
    released = conditions.mark_released(with_status(undoing), EVICTED, retry_seconds=0, now=NOW)
    again = conditions.mark_placed(with_status(released), now=NOW)

    assert undoing.condition("Preempted").message == "Gang default/hot, of priority 5, takes its place."
    assert told(released)["Preempted"] == ("True", "Preempted")
    assert released.condition("Planned").message == "The gang is planned again at once."
    assert told(again)["Preempted"] == ("False", "Bound")


def test_gang_that_was_never_preempted_has_no_such_condition():
    assert "Preempted" not in told(placed())


@pytest.mark.parametrize(
    ("victims", "want"),
    [
        (["a"], "; preempts gang default/a, and starts when its members have ended."),
        (["a", "b"], "; preempts gangs default/a, default/b, and starts when their members have ended."),
    ],
)
def test_gang_that_awaits_its_victims_names_them(victims, want):
    keys = [GangKey("default", name) for name in victims]

    status = conditions.mark_planned_for_later(GANG, LATER, now=NOW, victims=keys)

    assert status.condition("Planned").reason == "Preempting"
    assert status.condition("Planned").message.endswith(want)


def test_gang_that_starts_names_whose_place_it_takes():
    status = conditions.mark_reserved(GANG, LATER, attempt=1, now=NOW, victims=[GangKey("default", "a")])

    assert status.condition("Planned").message.endswith("; takes the place of gang default/a.")


@pytest.mark.parametrize(
    ("thousandths", "want"),
    [
        (1300, "; run times as the last 12 runs had them: 1.3 times as stated."),
        (1000, "; run times as stated, which the last 12 runs had too."),
    ],
    ids=["longer", "as stated"],
)
def test_plan_says_what_runs_have_taught(thousandths, want):
    learned = Learned(thousandths=thousandths, runs=12)
    for status in (
        conditions.mark_reserved(GANG, PLACEMENT, attempt=1, now=NOW, learned=learned),
        conditions.mark_planned_for_later(GANG, LATER, now=NOW, learned=learned),
    ):
        assert status.condition(Condition.PLANNED).message.endswith(want)
        assert status_manifest(status)["runTimeFactor"] == learned.spelled


def test_plan_with_stated_run_times_has_no_factor():
    learned = Learned(thousandths=1300, runs=12)
    before = with_status(conditions.mark_planned_for_later(GANG, LATER, now=NOW, learned=learned))

    status = conditions.mark_planned_for_later(before, LATER, now=NOW)

    assert status.run_time_factor is None
    assert "run times" not in status.condition(Condition.PLANNED).message


def test_gang_whose_members_request_nothing_is_accepted_with_a_warning():
    says = conditions.mark_accepted(gang_fact("g", spec=gang_spec(request=(("pods", 1), (SLOTS, 1)))), NOW).condition(
        "Accepted"
    )

    assert (says.status, says.reason) == ("True", "SpecUnderstood")
    assert says.message == (
        "Everything the spec asks for can be obeyed. Warning: the members of template request no resources, so any "
        "number of them counts as fitting on a node, and as running there as fast as one alone: "
        "set resources.requests.cpu."
    )


def test_gang_whose_members_request_something_is_accepted_without():
    says = conditions.mark_accepted(gang_fact("g", spec=gang_spec(request=(("nvidia.com/gpu", 1), ("pods", 1)))), NOW)

    assert "Warning" not in says.condition("Accepted").message


def test_run_is_as_long_as_planned_however_long_the_plan_took():
    planned = replace(PLACEMENT, start=NOW - 3, finish=NOW - 2)

    status = conditions.mark_reserved(GANG, planned, attempt=1, now=NOW)

    assert (status.start, status.expected_finish) == (NOW, NOW + 1)
