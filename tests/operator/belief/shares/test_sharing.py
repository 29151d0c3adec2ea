"""Which group a gang belongs to, when its turn comes, and which attempts cost nothing."""

from dataclasses import replace

import pytest

from builders.facts import bid_fact, gang_fact, gang_spec, node_fact, pod_fact, reservation
from builders.pod_gangs import pod_gang
from coschedule import GangKey, Interruptible
from lockstep.api.shares.fair_share import parse_fair_share
from lockstep.belief.state import State
from lockstep.cycle.planning.waiting import by_urgency
from lockstep.facts.elastic import ElasticSpec
from lockstep.facts.gang.pod_gang import GroupMember, grouped
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.pod import Membership, PodKey, PodPhase
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.status.conditions import FALSE, TRUE, with_condition
from lockstep.report.text.share_sentences import summary_of, times_share, use_of_group_of
from lockstep.snapshot.snapshots import SnapshotCutter

HOUR = 3600.0
GROUPS = [
    {"name": "physics", "weight": 3, "namespaces": ["heat", "plasma"]},
    {"name": "biology", "namespaces": ["fold"]},
]


def fair_share(*, used=None, at="1970-01-01T00:00:00Z", version="1", uid="uid", **spec):
    status = {"countedAt": at, "groups": [{"name": name, "usedMilliseconds": ms} for name, ms in (used or {}).items()]}
    return parse_fair_share(
        {
            "metadata": {"name": "default", "uid": uid, "resourceVersion": version},
            "spec": {"groups": GROUPS, **spec},
            **({"status": status} if used is not None else {}),
        }
    )


def cluster(fact=None, *, nodes=4):
    state = State(lambda: None)
    for number in range(1, nodes + 1):
        state.nodes.apply(node_fact(f"n{number}", cpu=8000))
    if fact is not None:
        state.shares.apply(fact)
    return state


def waiting(name, namespace, *, created=0.0, **more):
    return replace(gang_fact(name, created=created, **more), key=GangKey(namespace, name))


def order(state, *gangs, now=0.0):
    return [gang.key.name for gang in by_urgency(state, gangs, now)]


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        ({}, False),
        ({"preemption": {}}, False),
        ({"preemption": {"reclaimWithinPriority": "Never"}}, False),
        ({"preemption": {"reclaimWithinPriority": "Any"}}, True),
    ],
    ids=["absent", "empty", "never", "any"],
)
def test_gangs_are_evicted_for_groups_only_where_the_spec_says_so(spec, want):
    assert cluster(fair_share(**spec)).shares.reclaims == want


def test_namespaces_that_no_group_names_are_one_group():
    shares = cluster(fair_share()).shares

    assert [shares.group_of(name) for name in ("heat", "plasma", "fold", "new", "newer")] == [
        "physics",
        "physics",
        "biology",
        "others",
        "others",
    ]


def test_namespace_in_two_groups_counts_for_the_first():
    twice = [{"name": "a", "namespaces": ["x", "y"]}, {"name": "b", "namespaces": ["y", "z"]}]
    shares = cluster(fair_share(groups=twice)).shares

    assert [shares.group_of(name) for name in "xyz"] == ["a", "a", "b"]


def test_order_of_the_queue_is_by_use_and_weight():
    state = cluster(fair_share(used={"physics": 9_000, "biology": 4_000, "others": 1_000}))
    gangs = [waiting("p", "heat", created=0), waiting("b", "fold", created=1), waiting("o", "new", created=2)]

    assert order(state, *gangs) == ["o", "p", "b"]
    assert order(cluster(), *gangs) == ["p", "b", "o"]


def test_gangs_in_front_are_charged_so_groups_take_turns():
    state = cluster(fair_share(groups=[{"name": "a", "namespaces": ["a"]}, {"name": "b", "namespaces": ["b"]}]))
    state.shares.capacity.update(0.0)
    gangs = [waiting(f"{one}{n}", one, created=n) for one in "ab" for n in range(3)]

    assert order(state, *gangs) == ["a0", "b0", "a1", "b1", "a2", "b2"]


def test_snapshot_has_the_groups_and_what_all_nodes_have():
    state = cluster(fair_share(used={"physics": 2_000}))
    gangs = [waiting("p", "heat"), waiting("o", "new")]
    for gang in gangs:
        state.apply_gang(gang)
    drawn = SnapshotCutter(state).cut(0.0, gangs)

    by_name = dict(zip(drawn.resources, drawn.shares.capacity, strict=True))
    assert [(one.name, one.weight, one.used, one.namespaces) for one in drawn.shares.groups] == [
        ("physics", 3.0, 2.0, ("heat",)),
        ("biology", 1.0, 0.0, ()),
        ("others", 1.0, 0.0, ()),
    ]
    assert by_name["cpu"] == 4 * 8000
    assert by_name.get("pods", 0) == 0, "the number of pods is no use"


def test_snapshot_without_a_fair_share_has_one_group():
    state, gang = cluster(), waiting("p", "heat")
    state.apply_gang(gang)

    assert len(SnapshotCutter(state).cut(0.0, [gang]).shares.groups) == 1


def leading(fact, *, now=0.0):
    state = cluster(fact)
    state.shares.begin(fact.counted, now)
    return state


def test_what_is_held_is_charged_from_its_start_on():
    state = leading(fair_share(used={}))
    state.reservations[GangKey("heat", "g")] = replace(
        reservation(request=(("cpu", 8000),), start=0.0), gang=GangKey("heat", "g")
    )
    state.advance_to(HOUR)
    state.advance_to(2 * HOUR)

    assert state.shares.used(2 * HOUR) == {"physics": pytest.approx(HOUR, rel=0.01), "biology": 0.0, "others": 0.0}


@pytest.mark.parametrize(
    ("reason", "is_lost_node", "costs"),
    [
        (Reason.PREEMPTED, False, False),
        (Reason.OWNER_RETURNED, False, False),
        (Reason.POD_LOST, True, False),
        (Reason.POD_LOST, False, True),
        (Reason.MEMBER_FAILED, True, True),
        (Reason.GANG_SUSPENDED, False, True),
        (Reason.AWAITS_QUOTA, False, True),
    ],
    ids=["urgent", "owner", "node", "pod-deleted", "program", "suspended", "kueue"],
)
def test_only_what_was_lost_to_the_cluster_is_given_back(reason, is_lost_node, costs):
    state = leading(fair_share(used={}))
    gang = gang_fact("g", status=GangStatus(attempt=1))
    state.apply_gang(gang)
    state.reservations[gang.key] = reservation(request=(("cpu", 8000),))
    state.advance_to(HOUR)
    assert state.shares.used(HOUR)["others"] > 0

    state.apply_gang(
        replace(gang, status=with_condition(gang.status, gang, Condition.PLACED, (FALSE, reason, "So."), HOUR))
    )
    if is_lost_node:
        state.nodes.remove("n1")
    del state.reservations[gang.key]
    state.advance_to(HOUR + 10)

    assert (state.shares.used(HOUR + 10)["others"] > 0) is costs


SAVES = replace(gang_spec(), interruptible=Interruptible.CHECKPOINTED, checkpoint_interval=600.0)
SHRINKS = gang_spec(elastic=ElasticSpec(restart_time=10.0, min_interval=60.0))
GANG = gang_fact("g")


@pytest.mark.parametrize(
    ("reason", "spec", "more", "saved_until"),
    [
        (Reason.PREEMPTED, SAVES, {}, HOUR - 600),
        (Reason.OWNER_RETURNED, SAVES, {}, HOUR - 600),
        (Reason.POD_LOST, SAVES, {}, HOUR - 600),
        (Reason.POD_LOST, replace(SAVES, checkpoint_interval=2 * HOUR), {}, 0.0),
        (Reason.PREEMPTED, SHRINKS, {}, HOUR),
        (Reason.POD_LOST, SHRINKS, {}, 0.0),
        (Reason.POD_LOST, SHRINKS, {"resized_at": 1800.0}, 1800.0),
        (Reason.POD_LOST, replace(SHRINKS, interruptible=SAVES.interruptible, checkpoint_interval=600.0), {}, 3000.0),
    ],
    ids=["urgent", "owner", "node", "before-the-first", "asked", "not-asked", "changed-its-size", "both"],
)
def test_gang_that_saves_its_work_is_charged_until_it_last_did_and_the_record_says_the_same(
    reason, spec, more, saved_until
):
    state = leading(fair_share(used={}))
    state.records.begin((), has_users=False)
    held = reservation(request=(("cpu", 8000),))
    status = GangStatus(attempt=1, reserved_at=0.0, start=0.0, started_at=0.0, size=2, members=held.members, **more)
    gang = gang_fact("g", spec=spec, status=with_condition(status, GANG, Condition.PLACED, (TRUE, "Bound", ""), 0.0))
    state.apply_gang(gang)
    state.reservations[gang.key] = held
    state.advance_to(HOUR)

    if reason is Reason.POD_LOST:
        state.nodes.remove("n1")
    for version, why in (("2", Reason.UNDOING), ("3", reason)):
        status = with_condition(gang.status, gang, Condition.PLACED, (FALSE, why, "So."), HOUR)
        if why is reason:
            status = replace(status, reserved_at=None, started_at=None)
        gang = replace(gang, status=status, resource_version=version)
        state.apply_gang(gang)
        # Its members take their time to end.
        state.advance_to(HOUR + 20)
    del state.reservations[gang.key]
    state.advance_to(HOUR + 25)

    assert state.shares.used(HOUR + 25)["others"] == pytest.approx(0.5 * saved_until, rel=0.01)
    [stretch] = state.records.take().stretches
    assert (stretch.attempt, stretch.lost) == (1, (HOUR - saved_until) * 2)


def test_attempt_that_was_never_placed_has_saved_nothing():
    state = leading(fair_share(used={}))
    gang = gang_fact("g", spec=SAVES, status=GangStatus(attempt=1))
    failed_before = with_condition(gang.status, gang, Condition.PLACED, (FALSE, Reason.BINDING, "So."), -60.0)
    state.apply_gang(replace(gang, status=failed_before))
    state.reservations[gang.key] = reservation(request=(("cpu", 8000),))
    state.advance_to(HOUR)

    released = with_condition(failed_before, gang, Condition.PLACED, (FALSE, Reason.OWNER_RETURNED, "So."), HOUR)
    state.apply_gang(replace(gang, status=released, resource_version="2"))
    del state.reservations[gang.key]
    state.advance_to(HOUR + 10)

    assert state.shares.used(HOUR + 10)["others"] == 0.0


def test_gang_whose_pods_give_way_is_charged_until_it_last_saved_its_work():
    """Its attempt may be over before a status says so."""
    state = leading(fair_share(used={}))
    gang = gang_fact("g", spec=SAVES, status=GangStatus(attempt=1))
    state.apply_gang(gang)
    state.reservations[gang.key] = reservation(request=(("cpu", 8000),))
    state.advance_to(HOUR)

    state.shares.gives_way(gang, Reason.PREEMPTED)
    del state.reservations[gang.key]
    state.advance_to(HOUR + 10)

    assert state.shares.used(HOUR + 10)["others"] == pytest.approx(0.5 * (HOUR - 600), rel=0.01)


def test_gang_that_gives_way_to_one_of_its_own_group_is_charged():
    """A group would get its charge back by a gang of its own that is urgent."""
    state = leading(fair_share(used={}))
    gang, urgent = (replace(waiting(name, "heat"), status=GangStatus(attempt=1)) for name in ("g", "urgent"))
    for one in (gang, urgent):
        state.apply_gang(one)
    state.reservations[gang.key] = replace(reservation(request=(("cpu", 8000),)), gang=gang.key)
    state.advance_to(HOUR)
    before = state.shares.used(HOUR)["physics"]

    gives_way = (TRUE, Reason.PREEMPTED, "Gang heat/urgent, of priority 9, takes the place of this gang.")
    released = with_condition(gang.status, gang, Condition.PREEMPTED, gives_way, HOUR)
    released = with_condition(released, gang, Condition.PLACED, (FALSE, Reason.PREEMPTED, "So."), HOUR)
    state.apply_gang(replace(gang, status=released, resource_version="2"))
    del state.reservations[gang.key]
    state.advance_to(HOUR + 10)

    assert before > 1000
    assert state.shares.used(HOUR + 10)["physics"] >= before


def test_placed_gang_is_charged_for_its_pods():
    """It has no reservation any more once its pods are bound."""
    state = leading(fair_share(used={}))
    gang = pod_gang(2, status=GangStatus(attempt=1, started_at=0.0))
    state.pod_gang_facts.apply(gang)
    for rank in range(2):
        pod = replace(pod_fact(f"p{rank}", node="n1", phase=PodPhase.RUNNING), request=(("cpu", 4000),))
        state.apply_pod(grouped(pod, GroupMember(gang.key, Membership(gang.key, gang.uid, 1, rank), None)))
    state.advance_to(HOUR)
    assert state.shares.used(HOUR)["others"] == pytest.approx(HOUR / 4, rel=0.01)

    state.remove_pod(PodKey("default", "p0"), "uid-of-p0")
    state.advance_to(HOUR + 1)
    state.advance_to(2 * HOUR)
    assert state.shares.used(2 * HOUR)["others"] == pytest.approx(HOUR / 4 + HOUR / 8, rel=0.01)

    state.remove_pod(PodKey("default", "p1"), "uid-of-p1")
    state.advance_to(2 * HOUR + 1)
    state.advance_to(3 * HOUR)
    assert state.shares.used(3 * HOUR)["others"] == pytest.approx(HOUR / 4 + HOUR / 8, rel=0.01)


def test_attempt_holds_no_more_than_all_nodes_though_most_of_them_are_gone():
    state = leading(fair_share(used={}))
    held = reservation(members=tuple((f"n{number}", 1) for number in range(1, 5)), request=(("cpu", 8000),))
    state.reservations[GangKey("heat", "g")] = replace(held, gang=GangKey("heat", "g"))
    for name in ("n2", "n3", "n4"):
        state.nodes.remove(name)
    state.advance_to(60.0)
    state.advance_to(60.0 + HOUR)

    assert state.shares.used(60.0 + HOUR)["physics"] == pytest.approx(60.0 + HOUR, rel=0.01)


def test_gang_that_its_user_deletes_is_charged():
    state = leading(fair_share(used={}))
    gang = gang_fact("g", status=GangStatus(attempt=1))
    state.apply_gang(gang)
    state.reservations[gang.key] = reservation(request=(("cpu", 8000),))
    state.advance_to(HOUR)
    del state.reservations[gang.key]
    state.remove_gang(gang.key, gang.uid)
    state.advance_to(HOUR + 10)

    assert state.shares.used(HOUR)["others"] > 0


def test_fair_share_that_is_deleted_leaves_the_order_of_age():
    state = leading(fair_share(used={"physics": 9_000_000}))
    gangs = [waiting("p", "heat", created=0), waiting("o", "new", created=2)]
    assert order(state, *gangs) == ["o", "p"]

    state.shares.remove("another")
    assert order(state, *gangs) == ["o", "p"]
    state.shares.remove("uid")
    assert order(state, *gangs) == ["p", "o"]
    state.advance_to(HOUR)


def test_older_version_changes_nothing_and_only_groups_ask_for_a_plan():
    state = cluster(fair_share(version="5"))
    state.changes.follow()
    state.changes.begin_plan()
    state.shares.apply(fair_share(version="4", groups=[]))
    state.shares.apply(fair_share(version="6", used={"physics": 1}))
    assert not state.changes.is_plan_due
    assert len(state.shares.named) == 3

    state.shares.apply(fair_share(version="7", groups=[]))
    assert state.changes.is_plan_due


def test_status_from_before_the_clock_was_set_back_does_not_stop_the_accounts():
    state = leading(fair_share(used={"physics": 1_000}, at="2030-01-01T00:00:00Z"), now=HOUR)
    state.reservations[GangKey("heat", "g")] = replace(reservation(start=HOUR), gang=GangKey("heat", "g"))
    state.advance_to(2 * HOUR)

    assert state.shares.used(2 * HOUR)["physics"] > 1.0


def test_sentences_compare_the_use_with_the_share():
    state = cluster(fair_share(used={"physics": 3_000, "biology": 1_000}))
    named, used = state.shares.named, state.shares.used(0.0)
    times = times_share(named, used)

    assert times == {"physics": pytest.approx(1.25), "biology": pytest.approx(1.25), "others": 0.0}
    assert use_of_group_of(state.shares, "heat", 0.0) == "its group physics has used 1.2 times its share lately"
    assert use_of_group_of(cluster(fair_share()).shares, "heat", 0.0) == (
        "its group physics has used nothing, like all other groups"
    )
    assert use_of_group_of(cluster().shares, "heat", 0.0) == ""
    assert summary_of(named, times) == "Recent use, as multiples of the shares: physics 1.2, biology 1.2, others 0.0."
    assert summary_of(named, {}) == "No group has used anything yet."


def test_bids_do_not_change_what_all_nodes_have():
    state = cluster(fair_share())
    state.shares.capacity.update(0.0)
    state.bids.apply(bid_fact("n1"))

    assert state.shares.capacity.amount("cpu") == 4 * 8000
