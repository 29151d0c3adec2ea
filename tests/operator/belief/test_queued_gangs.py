"""A flavor or a check of Kueue that changes is followed in steps, however many gangs tenants have in queues."""

from dataclasses import replace

import pytest

from builders.facts import DEFAULT, ONE_CPU, gang_fact, gang_spec
from builders.work import instructions, instructions_of_steps
from coschedule import GangKey
from lockstep.belief.state import State
from lockstep.facts.document import Document
from lockstep.facts.gang.policies import Policies
from lockstep.facts.gang.workload import AdmissionCheck, Flavor, GangWorkload, Quota, StatedCheck
from lockstep.watch.kueue_kinds import admission_checks_kind

FEW, MANY = 20, 200
CHECK = "placement"
# Of the change and of one step: each is about one gang with a small template.
MOST_INSTRUCTIONS = 20_000
FIRST = GangKey(DEFAULT, "g0")
LARGER = tuple((name, 2000 if name == "cpu" else amount) for name, amount in ONE_CPU)


def flavor(kind):
    return Flavor("spot", Document.of({"spec": {"nodeLabels": {"kind": kind}}}))


def check(*, is_ours):
    return AdmissionCheck(CHECK, is_ours=is_ours, is_active=True)


def queued(count, most=1):
    """A state with so many gangs that have quota in the flavor, and wait for the check alone."""
    state = State(lambda: None)
    state.queued.watch()
    admission_checks_kind(state).apply(check(is_ours=True))
    state.queued.apply_flavor(flavor("old"))
    for number in range(count):
        gang = gang_fact(f"g{number}", spec=gang_spec(size=1, most=most), policies=Policies(queue="team"))
        state.queued.apply(workload_of(gang, members=most))
        state.apply_gang(gang)
    follow(state)
    return state


def workload_of(gang, members=1):
    return GangWorkload(
        gang=gang.key,
        gang_uid=gang.uid,
        name=gang.key.name,
        uid=f"workload-{gang.key.name}",
        queue="team",
        quota_since=0.0,
        quotas={"main": Quota(members=members, flavors=("spot",))},
        checks=(StatedCheck(CHECK, "Pending"),),
    )


def follow(state):
    counts, _ = instructions_of_steps(state.queued.following_due())
    return counts


def change_by_admission(state):
    """Let admission give the members of the first gang more CPU."""
    gang = state.gangs[FIRST]
    assert state.apply_verdict(gang, {"": the_role(state).needs._replace(request=LARGER)})


def the_role(state):
    return state.gangs[FIRST].spec.roles[0]


def kinds_of(state):
    return {term for gang in state.gangs.values() for term in gang.spec.roles[0].constraints.node_selector}


def suspended(state):
    return sum(gang.policies.is_suspended for gang in state.gangs.values())


CHANGES = {
    "another flavor": lambda state: state.queued.apply_flavor(flavor("new")),
    "no flavor": lambda state: state.queued.remove_flavor("spot"),
    "another check": lambda state: admission_checks_kind(state).apply(check(is_ours=False)),
    "no check": lambda state: admission_checks_kind(state).remove(CHECK),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_change_of_a_flavor_or_a_check_costs_the_same_however_many_gangs_are_in_queues(change):
    costs, steps = [], []
    for count in (FEW, MANY):
        state = queued(count)
        costs.append(instructions(lambda state=state: change(state)))
        steps.append(follow(state))

    assert costs[1] <= costs[0]
    assert [len(one) for one in steps] == [FEW + 1, MANY + 1]
    assert max(steps[1]) <= MOST_INSTRUCTIONS


def test_gangs_go_where_the_flavor_has_its_nodes_by_now():
    state = queued(3)
    assert kinds_of(state) == {("kind", "old")}

    state.queued.apply_flavor(flavor("new"))
    follow(state)

    assert kinds_of(state) == {("kind", "new")}
    assert {GangKey(DEFAULT, f"g{number}") for number in range(3)} <= state.changes.gangs


def test_gang_that_admission_has_changed_goes_where_the_flavor_has_its_nodes_by_now():
    state = queued(1)
    change_by_admission(state)

    state.queued.apply_flavor(flavor("new"))
    follow(state)

    assert kinds_of(state) == {("kind", "new")}


def test_gang_that_admission_has_changed_gets_no_more_members_than_its_quota_by_now():
    state = queued(1, most=8)
    change_by_admission(state)
    assert the_role(state).sizes.maximum == 8

    # The gang runs with fewer members, so the quota of the others is given back.
    workload = workload_of(state.gangs[FIRST], members=4)
    state.queued.apply(workload)

    assert the_role(state).sizes.maximum == 4
    assert the_role(state).request == LARGER


def test_gang_that_admission_has_changed_is_free_of_its_quota_once_it_leaves_the_queue():
    state = queued(1, most=8)
    change_by_admission(state)
    state.queued.apply(workload_of(state.gangs[FIRST], members=4))

    written = state.queued.written(FIRST)
    state.apply_gang(replace(written, resource_version="2", policies=Policies()))

    assert (the_role(state).sizes.maximum, kinds_of(state)) == (8, set())


def test_gang_that_is_seen_before_its_turn_goes_by_the_flavor_of_now():
    state = queued(3)
    state.queued.apply_flavor(flavor("new"))

    first = state.queued.written(GangKey(DEFAULT, "g0"))
    state.apply_gang(first)

    assert state.gangs[first.key].spec.roles[0].constraints.node_selector == (("kind", "new"),)


def test_gangs_wait_once_the_check_is_another_controllers():
    state = queued(3)
    assert suspended(state) == 0

    admission_checks_kind(state).apply(check(is_ours=False))
    follow(state)

    assert suspended(state) == 3


def test_changes_one_after_another_are_followed_once():
    state = queued(FEW)
    for kind in ("new", "newer", "newest"):
        state.queued.apply_flavor(flavor(kind))

    assert len(follow(state)) == FEW + 1
    assert kinds_of(state) == {("kind", "newest")}
