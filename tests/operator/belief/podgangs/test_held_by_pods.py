"""What the pods of a Gang hold together, beside what is counted anew from all that are there."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from builders.facts import pod_fact
from lockstep.belief.podgangs.held_by_pods import HeldByPods
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.pod_gang import GroupMember, grouped
from lockstep.facts.pods.pod import Membership

HEAT = pod_gang_key("default", "heat")
NOW = 1_800_000_000.0


def running_pod(name="a", *, priority=0, grace=30, since=NOW - 100, node="n1"):
    """Describe a pod on a node."""
    group = GroupMember(HEAT, Membership(HEAT, "uid", 1, 0), None, grace_seconds=grace, since=since)
    return grouped(replace(pod_fact(name, node=node), priority=priority), group)


def test_nothing_is_held_without_pods():
    held = HeldByPods()

    assert (dict(held.taken), held.priority, held.grace_seconds, held.running_since(NOW)) == ({}, 0, 0, None)


def test_pod_that_does_not_run_yet_has_lost_nothing():
    held = HeldByPods()
    held.enter(running_pod("a", since=NOW - 100))
    held.enter(running_pod("b", since=None))

    assert (NOW - held.running_since(NOW)) * 2 == 100


@pytest.mark.parametrize("seed", range(10))
def test_what_is_held_is_that_of_the_pods_that_are_there(seed):
    rnd = random.Random(seed)  # noqa: S311 - a case has to come again
    held, there = HeldByPods(), []
    for step in range(200):
        if there and rnd.random() < 0.5:
            held.leave(there.pop(rnd.randrange(len(there))))
        else:
            since = rnd.choice([None, NOW - rnd.randrange(10_000)])
            there.append(
                running_pod(
                    f"p{step}",
                    priority=rnd.randrange(-2, 3),
                    grace=rnd.randrange(3),
                    since=since,
                    node=rnd.choice(["n1", "n2"]),
                )
            )
            held.enter(there[-1])
        lost = sum(NOW - pod.group.since for pod in there if pod.group.since is not None)
        since = held.running_since(NOW)

        assert held.taken == Counter((pod.node, pod.request) for pod in there)
        assert held.priority == max((pod.priority for pod in there), default=0)
        assert held.grace_seconds == max((pod.group.grace_seconds for pod in there), default=0)
        assert (0 if since is None else (NOW - since) * len(there)) == pytest.approx(lost, abs=0.01)
