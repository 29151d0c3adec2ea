"""A check of Kueue that changes is followed in steps, however many Workloads tenants have in queues."""

import pytest

from builders.pod_gangs import pod_gang
from builders.work import instructions, instructions_of_steps
from lockstep.belief.state import State
from lockstep.facts.gang.workload import AdmissionCheck, StatedCheck, Workload

FEW, MANY = 20, 200
CHECK = "placement"
# Of the change and of one step, which is about one Gang.
MOST_INSTRUCTIONS = 10_000


def check(*, is_ours):
    return AdmissionCheck(CHECK, is_ours=is_ours, is_active=True)


def workload(number):
    gang = pod_gang(name=f"g{number}").key
    checks = (StatedCheck(CHECK, "Pending"),)
    return Workload(gang, gang.name, f"uid-of-w{number}", "1", 2, 0.0, checks)


def with_workloads(count, *, is_ours):
    """A state with so many Workloads with quota and their Gangs, which wait for the check alone."""
    state = State(lambda: None)
    state.pod_gang_facts.apply_check(check(is_ours=is_ours))
    for number in range(count):
        state.pod_gang_facts.apply_workload(workload(number))
        state.pod_gang_facts.apply(pod_gang(name=f"g{number}"))
    follow(state)
    return state


def follow(state):
    counts, _ = instructions_of_steps(state.pod_gang_facts.following_due())
    return counts


def awaiting_sizes(state):
    return len(state.pod_gangs.sized.gangs())


CHANGES = {
    "a check is ours by now": (False, lambda state: state.pod_gang_facts.apply_check(check(is_ours=True))),
    "a check is another controller's": (True, lambda state: state.pod_gang_facts.apply_check(check(is_ours=False))),
    "no check": (True, lambda state: state.pod_gang_facts.remove_check(CHECK)),
}


@pytest.mark.parametrize(("was_ours", "change"), CHANGES.values(), ids=CHANGES)
def test_change_of_a_check_costs_the_same_however_many_workloads_have_quota(was_ours, change):
    costs, steps = [], []
    for count in (FEW, MANY):
        state = with_workloads(count, is_ours=was_ours)
        costs.append(instructions(lambda state=state: change(state)))
        steps.append(follow(state))

    assert costs[1] <= costs[0]
    assert [len(one) for one in steps] == [FEW + 1, MANY + 1]
    assert max(steps[1]) <= MOST_INSTRUCTIONS


@pytest.mark.parametrize(("was_ours", "change"), CHANGES.values(), ids=CHANGES)
def test_workloads_wait_for_sizes_while_the_check_is_ours(was_ours, change):
    state = with_workloads(3, is_ours=was_ours)
    assert awaiting_sizes(state) == (3 if was_ours else 0)
    for gang in state.changes.gangs:
        state.changes.reconciling(gang)

    change(state)
    follow(state)

    assert awaiting_sizes(state) == (0 if was_ours else 3)
    assert state.changes.gangs == {workload(number).gang for number in range(3)}


def test_changes_one_after_another_are_followed_once():
    state = with_workloads(FEW, is_ours=False)
    for is_ours in (True, False, True):
        state.pod_gang_facts.apply_check(check(is_ours=is_ours))

    assert len(follow(state)) == FEW + 1
    assert awaiting_sizes(state) == FEW


def test_workload_that_is_gone_before_its_turn_is_not_followed_again():
    state = with_workloads(3, is_ours=True)
    state.pod_gang_facts.remove_check(CHECK)
    gone = workload(0)
    state.pod_gang_facts.remove_workload(gone.gang, gone.uid)

    assert len(follow(state)) == 2 + 1
    assert awaiting_sizes(state) == 0
