"""What is counted of the pods of a Gang as they come and go, beside a count of all that are there."""

import random
from collections import Counter

import pytest

from builders.facts import pod_fact
from builders.pod_gangs import LARGE, SMALL, waiting_pod
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.pod_gang import GroupMember, PodRole, grouped
from lockstep.facts.gang.source import Source
from lockstep.facts.pods.pod import Membership, PodPhase

HEAT = pod_gang_key("default", "heat")
STEPS = 60
OWNERS = ["", "one", "other"]
ROLES = ["a", "b"]


def any_pod(rnd):
    """A pod in any state."""
    name, phase = rnd.choice("abcde"), rnd.choice([*PodPhase])
    waits = waiting_pod(
        name,
        its_needs=rnd.choice([SMALL, LARGE]),
        created=float(rnd.randrange(3)),
        priority_class=rnd.choice(["", "high"]),
        preempts=rnd.random() < 0.5,
        index=rnd.randrange(-1, 2),
        source=rnd.choice([Source.PODS, Source.JOB]),
    )
    owner, role = rnd.choice(OWNERS), rnd.choice(["", *ROLES])
    if rnd.random() < 0.5:
        return grouped(pod_fact(name), GroupMember(HEAT, None, waits, owner=owner, role=role))
    seat = rnd.choice([None, Membership(HEAT, "uid", 1, 0)])
    return grouped(
        pod_fact(name, node=rnd.choice(["", "n1"]), phase=phase, deleting=rnd.random() < 0.3),
        GroupMember(HEAT, seat, None, owner=owner, role=role),
    )


def check(group, there):
    """Compare all that is counted with the pods that are there."""
    waiting = [pod.group.waiting for pod in there.values() if pod.group.waiting]
    going = [pod for pod in there.values() if pod.group.seat and not (pod.has_ended or pod.is_deleting)]
    created = sorted(pod.created for pod in waiting)
    assert group.pods == there
    assert group.waiting == len(waiting)
    assert group.going == len(going) == len([*group.going_pods()])
    assert [group.complete_since(least) for least in range(7)] == [None, *created, *[None] * (6 - len(created))]
    for role in ROLES:
        created = sorted(pod.group.waiting.created for pod in there.values() if is_waiting(pod, role))
        for least in (1, 2):
            want = created[least - 1] if least <= len(created) else None
            assert group.complete_since(least, [PodRole(role, least, 9)]) == want
    by_kind = {key: pod for _, pods in group.waiting_by_kind(None) for key, pod in pods.items()}
    assert by_kind == {key: pod.group.waiting for key, pod in there.items() if pod.group.waiting}
    for owner in (None, *OWNERS):
        check_own(
            group.own(owner, 99, ROLES),
            [pod for pod in there.values() if owner is None or pod.group.owner in ("", owner)],
        )


def check_own(own, pods):
    """Compare what is counted for an owner with the pods that count for it."""
    waiting = [pod for pod in pods if pod.group.waiting]
    going = [pod for pod in pods if pod.group.seat and not (pod.has_ended or pod.is_deleting)]
    succeeded = [pod for pod in pods if pod.phase is PodPhase.SUCCEEDED and not pod.is_deleting]
    assert (own.going, own.waiting, own.succeeded) == (len(going), len(waiting), len(succeeded))
    assert own.going_roles == by_role(going)
    assert own.succeeded_roles == by_role(succeeded)
    for found in own.alike:
        same = [pod for pod in waiting if kind_of(pod) == found.kind]
        assert found.pods == len(same)
        assert found.roles == by_role(same)
        assert found.one in {pod.key.name for pod in same}
    assert len({found.kind for found in own.alike}) == len(own.alike)
    assert sum(found.pods for found in own.alike) == len(waiting)


def is_waiting(pod, role):
    return pod.group.waiting is not None and pod.group.role == role


def by_role(pods):
    return {role: number for role, number in Counter(pod.group.role for pod in pods).items() if role}


def kind_of(pod):
    """What a pod that waits has in common with others of its kind."""
    waits = pod.group.waiting
    return (waits.needs, waits.priority_class, waits.source, pod.group.owner, waits.selected, waits.preempts)


@pytest.mark.parametrize("seed", range(200))
def test_counts_are_those_of_the_pods_that_are_there(seed):
    rnd = random.Random(seed)  # noqa: S311 - the cases are the same in every run
    group, there = PodGroup(), {}
    for _ in range(STEPS):
        pod = any_pod(rnd)
        if rnd.random() < 0.3:
            group.leave(pod.key)
            there.pop(pod.key, None)
        else:
            group.enter(pod)
            there[pod.key] = pod
        check(group, there)
