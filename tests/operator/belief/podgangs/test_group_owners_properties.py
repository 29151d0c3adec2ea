"""Pods of a group come and go: its Gang is owned by some that are there, and what they say is counted."""

import random
from dataclasses import replace

import pytest

from builders.facts import DEFAULT, pod_fact
from builders.pod_gangs import pod_gang
from lockstep.api.podgang.kueue_group import TOTAL_COUNT, group_terms
from lockstep.belief.podgangs.group_owners import owners_of_group
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.facts.gang.pod_gang import MOST_OWNERS, GroupMember, grouped
from lockstep.facts.pods.pod import PodKey


def pod_that_says(count, name, uid):
    """Describe a pod of the group."""
    terms = group_terms({TOTAL_COUNT: count})
    return grouped(pod_fact(name, uid=uid), GroupMember(pod_gang().key, None, None, terms=terms))


@pytest.mark.parametrize("seed", range(20))
def test_gang_is_owned_by_pods_that_are_there(seed):
    rnd = random.Random(seed)  # noqa: S311 - the cases are the same in every run
    group, gang = PodGroup(), replace(pod_gang(), made_for="")
    for _ in range(200):
        name = rnd.choice("abcdefghijkl")
        if rnd.random() < 0.5:
            group.enter(pod_that_says(rnd.choice("234"), name, rnd.choice([f"uid-of-{name}", f"next-{name}"])))
        else:
            group.leave(PodKey(DEFAULT, name))

        owners = owners_of_group(group, gang)

        gang = replace(gang, owners=tuple(owners))
        assert {one.uid for one in owners} <= {pod.uid for pod in group.pods.values()}
        assert min(3, len(group.pods)) <= len(owners) <= MOST_OWNERS
        said = {pod.group.terms for pod in group.pods.values()}
        assert len(group.terms) == min(2, len(said))
