"""Members that no watch has shown, and where they are about to be: beside a check of all members after each change."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from builders.facts import gang_fact, gang_spec, node_fact, pod_fact, reservation, role_spec
from coschedule import GangKey, Requirement
from lockstep.belief.pods.kinds import kinds_of
from lockstep.belief.pods.pod_effects import takes_room
from lockstep.belief.pods.pod_questions import PodDemand, WantedPods
from lockstep.belief.state import State
from lockstep.facts.pods.pod import Membership, PodAffinity, PodPhase, PodTerm, WrittenTerm
from lockstep.snapshot.affinity.affinity import Surroundings
from lockstep.snapshot.affinity.near_pods import nodes_with_others, own_pods

NODES = ("n1", "n2", "n3")
NAMES = ("g", "h", "i")
CHANGES = 200
APART = WrittenTerm(PodTerm("host", (Requirement("app", "In", ("heat",)),), (), None))


def gang(name, app):
    """A gang of three with such members; some keep others away."""
    affinity = PodAffinity((), (APART,) if name == "h" else ())
    template = {"metadata": {"labels": {"app": app}}, "spec": {}}
    role = replace(role_spec(size=3, template=template), pod_affinity=affinity)
    return gang_fact(name, spec=replace(gang_spec(), roles=(role,)))


def change(rnd, state):
    """Reserve, give back, or let a member come, be bound, end or go."""
    name = rnd.choice(NAMES)
    key = GangKey("default", name)
    held = state.reservations.get(key)
    if held is None:
        state.apply_gang(gang(name, rnd.choice(("heat", "cold"))))
        members = tuple((rnd.choice(NODES), 1) for _ in range(3))
        state.assumptions.hold(reservation(name, attempt=rnd.randint(1, 3), members=members))
        return
    if rnd.random() < 0.1:
        state.assumptions.forget(key)
        return
    rank = rnd.randrange(3)
    _, _, node, pod_key = list(held.by_rank())[rank]
    member = Membership(key, held.gang_uid, held.attempt, rank)
    labels = {"app": rnd.choice(("heat", "cold"))}
    pod = pod_fact(
        pod_key.name,
        member=member,
        node=rnd.choice(("", node)),
        labels=labels,
        phase=rnd.choice((PodPhase.PENDING, PodPhase.RUNNING, PodPhase.SUCCEEDED)),
    )
    (state.apply_pod if rnd.random() < 0.8 else lambda it: state.remove_pod(it.key, it.uid))(pod)


def unseen(state):
    """How many members of each gang's role no watch has shown, one by one."""
    found = {}
    for key, one in state.reservations.items():
        gone = state.departed(state.gangs[key])
        found[key] = Counter(role for _, role, _, pod in one.by_rank() if pod not in state.pods and pod not in gone)
    return {key: counts for key, counts in found.items() if counts}


def nodes_with(state, gang_key, wanted):
    """The nodes of pods that are meant, and of members that are to come, but for one gang's: one by one."""
    there = [
        pod for pod in state.pods.values() if takes_room(pod) and (pod.member is None or pod.member.gang != gang_key)
    ]
    nodes = {pod.node for pod in there if PodDemand((wanted,)).takes(dict(pod.labels), pod.key.namespace)}
    for key, one in state.reservations.items():
        if key == gang_key or not state.ledger.assumed_of(one.gang, one.gang_uid, one.attempt):
            continue
        charged = {node for node, _ in state.ledger.charged(one.gang, one.gang_uid, one.attempt)}
        for kind in kinds_of(state.gangs[key], one.attempt):
            if PodDemand((wanted,)).takes(kind.labels, kind.namespace):
                nodes |= charged & {entry.node for entry in one.members if entry.role == kind.role}
    return nodes


@pytest.mark.parametrize("seed", range(6))
def test_members_to_come_are_what_a_check_of_all_members_finds(seed):
    rnd, state = random.Random(seed), State(lambda: None)  # noqa: S311 - a case has to come again
    for name in NODES:
        state.nodes.apply(node_fact(name, labels={"host": name}))
    for _ in range(CHANGES):
        change(rnd, state)

        assert dict(state.counts.holders.unseen.in_namespace("default")) == unseen(state)
        wanted = WantedPods((Requirement("app", rnd.choice(("In", "NotIn")), ("heat",)),), None)
        for key in state.gangs:
            found = nodes_with_others(state, [PodDemand((wanted,))], own_pods(state, state.gangs[key]))
            assert found == nodes_with(state, key, wanted)


@pytest.mark.parametrize("seed", range(6))
def test_members_to_come_keep_others_away_as_their_pods_will(seed):
    rnd, state = random.Random(seed), State(lambda: None)  # noqa: S311 - a case has to come again
    for name in NODES:
        state.nodes.apply(node_fact(name, labels={"host": name}))
    newcomer = gang("new", "heat")
    state.apply_gang(newcomer)
    for _ in range(CHANGES):
        change(rnd, state)

        h = state.reservations.get(GangKey("default", "h"))
        is_coming = h is not None and state.ledger.assumed_of(h.gang, h.gang_uid, h.attempt)
        charged = {node for node, _ in state.ledger.charged(h.gang, h.gang_uid, h.attempt)} if is_coming else set()
        want = charged & {entry.node for entry in h.members} if is_coming else set()
        barred = dict(Surroundings(state, newcomer).bars(newcomer.spec.roles[0]))
        assert barred["near a pod whose anti-affinity keeps it away"] == want
