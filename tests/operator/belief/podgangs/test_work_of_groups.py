"""What one more pod of a Gang costs the event loop: counted in instructions, whatever other pods a tenant makes."""

from dataclasses import replace

import pytest

from builders.facts import needs, pod_fact
from builders.pod_gangs import pod_gang, waiting_pod
from builders.work import instructions
from lockstep.belief.state import State
from lockstep.facts.gang.pod_gang import GroupMember, grouped

GANG = pod_gang(least=2)
ALIKE = needs(cpu=1000)


def pod(name, its_needs=ALIKE, owner=""):
    return grouped(pod_fact(name), GroupMember(GANG.key, None, waiting_pod(name, its_needs=its_needs), owner=owner))


def all_alike(number):
    return pod(f"p{number}")


def each_of_another_kind(number):
    return pod(f"p{number}", needs(cpu=1000 + number))


def each_of_another_owner(number):
    return pod(f"p{number}", owner=f"owner-{number}")


def cost_of_one_more(others, other):
    """The instructions for one pod more beside so many others, and for what its Gang then asks for."""
    state = State(lambda: None)
    state.pod_gang_facts.apply(GANG)
    for number in range(others):
        state.apply_pod(other(number))

    def one_more():
        state.apply_pod(other(others))
        state.pod_gang_facts.renew(GANG.key)

    return instructions(one_more)


@pytest.mark.parametrize("other", [all_alike, each_of_another_kind, each_of_another_owner])
def test_one_more_pod_costs_the_same_whatever_others_there_are(other):
    few, many = (cost_of_one_more(others, other) for others in (50, 1_000))

    assert many <= 1.05 * few


def test_pods_of_others_cost_a_gang_that_is_made_for_one_owner_nothing():
    costs = []
    for others in (50, 1_000):
        state = State(lambda: None)
        state.pod_gang_facts.apply(replace(GANG, made_for="owner-0"))
        for number in range(others):
            state.apply_pod(each_of_another_owner(number))
        costs.append(instructions(lambda state=state: state.pod_gang_facts.renew(GANG.key)))

    assert costs[1] <= 1.05 * costs[0]
