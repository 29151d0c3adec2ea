"""Where members may stand is where kube-scheduler would let them, pod by pod, in some order."""

import json
from itertools import combinations_with_replacement, product
from random import Random

import pytest

from builders.facts import node_fact
from builders.served import gang
from builders.served import pod as pod_manifest
from coschedule import Placement, Reason, Unplaceable, plan
from differential.one_by_one import Pod, accepts, can_follow
from differential.random_affinity import completed, random_affinity, random_labels
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.membership import member_labels
from lockstep.api.pods.pod import parse_pod
from lockstep.belief.state import State
from lockstep.snapshot.affinity.affinity import Surroundings
from lockstep.snapshot.affinity.broken_terms import Stand, broken_term
from lockstep.snapshot.constraints import constraints_of
from lockstep.snapshot.snapshots import SnapshotCutter

# Two zones, a rack that reaches into both, and a node without a zone.
NODES = {
    "n1": {"host": "n1", "zone": "east", "rack": "a"},
    "n2": {"host": "n2", "zone": "east"},
    "n3": {"host": "n3", "zone": "west", "rack": "a"},
    "n4": {"host": "n4"},
}
CASES = 150
SIZES = {"a": {"min": 1, "max": 2}, "b": {"min": 1, "max": 1}}


def nodes_for(*sizes):
    """All choices of nodes for so many members of one role."""
    return [nodes for size in sizes for nodes in combinations_with_replacement(NODES, size)]


def with_others(rnd):
    """The cached facts of the nodes with up to two pods of others on them, and these."""
    state, there = State(lambda: None), []
    for name, labels in NODES.items():
        state.nodes.apply(node_fact(name, labels=labels))
    for number in range(rnd.randint(0, 2)):
        labels, affinity, node = random_labels(rnd), random_affinity(rnd, 1), rnd.choice(list(NODES))
        spec = {"affinity": completed(affinity, labels)}
        state.apply_pod(parse_pod(pod_manifest(f"p{number}", node=node, labels=labels, spec=spec)))
        there.append((Pod(labels, affinity), node))
    return state, there


def template(rnd, most):
    spec = {"containers": [], "affinity": random_affinity(rnd, most)}
    return {"metadata": {"labels": random_labels(rnd)}, "spec": spec}


def member(fact, role):
    return Pod(member_labels(fact.key, role, 1), role.template.document.decoded()["spec"]["affinity"])


def allowed(state, fact, choices):
    """Which of these choices, (role, node) of each member, may be carried out."""
    barred = {
        role.name: {name for _, names in constraints_of(state, fact, role).barred for name in names}
        for role in fact.spec.roles
    }
    terms = Surroundings(state, fact).terms()
    for choice in choices:
        stands = [Stand(role, node, to_come=True) for role, node in choice]
        passes = not any(node in barred[role] for role, node in choice)
        yield passes and broken_term(terms, stands, state.nodes) is None


@pytest.mark.parametrize("seed", range(4))
def test_members_may_stand_where_each_would_be_accepted_after_the_others(seed):
    rnd, seen = Random(seed), set()  # noqa: S311 - cases of a test are no secrets
    choices = [[("", node) for node in nodes] for nodes in nodes_for(1, 2, 3)]
    for _ in range(CASES):
        state, there = with_others(rnd)
        written = template(rnd, 2)
        fact = parse_gang(gang("g", spec={"template": written}), None)
        pod = member(fact, fact.spec.roles[0])

        for choice, may in zip(choices, allowed(state, fact, choices), strict=True):
            want = can_follow(NODES, there, [(pod, node) for _, node in choice])
            assert may == want, json.dumps([choice, written, [(vars(pod), node) for pod, node in there]])
            seen.add(want)
    assert seen == {True, False}


@pytest.mark.parametrize("seed", range(4))
def test_members_of_roles_may_stand_only_where_all_terms_are_met(seed):
    rnd, seen = Random(seed), set()  # noqa: S311 - cases of a test are no secrets
    choices = [
        [*(("a", node) for node in some), *(("b", node) for node in others)]
        for some, others in product(nodes_for(1, 2), nodes_for(1))
    ]
    for _ in range(CASES):
        state, there = with_others(rnd)
        roles = [{"name": name, "size": size, "template": template(rnd, 1)} for name, size in SIZES.items()]
        fact = parse_gang(gang("g", spec={"size": None, "template": None, "roles": roles}), None)
        pods = {role.name: member(fact, role) for role in fact.spec.roles}
        placed = members_placed(state, fact)
        if placed:
            members = [(pods[role], node) for role, node in placed]
            assert can_follow(NODES, there, members) or all_accepted_last(there, members)
            seen.add("placed")
        for choice, may in zip(choices, allowed(state, fact, choices), strict=True):
            members = [(pods[role], node) for role, node in choice]
            want = can_follow(NODES, there, members)
            case = json.dumps([choice, roles, [(vars(pod), node) for pod, node in there]])
            if not any(pod.near for pod in pods.values()):
                assert may == want, case
            if may:
                assert want or all_accepted_last(there, members), case
            seen.add((may, want))
    assert {"placed", (True, True), (False, False)} <= seen


@pytest.mark.parametrize("seed", range(4))
def test_gang_is_placed_exactly_where_its_members_would_be_accepted_in_some_order(seed):
    rnd, seen = Random(seed), set()  # noqa: S311 - cases of a test are no secrets
    for _ in range(CASES):
        state, there = with_others(rnd)
        written, size = template(rnd, 2), rnd.randint(1, 4)
        fact = parse_gang(gang("g", size=size, spec={"template": written}), None)
        pod = member(fact, fact.spec.roles[0])
        case = json.dumps([size, written, [(vars(pod), node) for pod, node in there]])

        [decision] = plan(SnapshotCutter(state).cut(0.0, [fact])).decisions

        if isinstance(decision, Placement):
            nodes = [entry.node for entry in decision.members for _ in range(entry.count)]
            assert can_follow(NODES, there, [(pod, node) for node in nodes]), case
        elif decision.reason != Reason.TOPOLOGIES_CROSS:
            assert not any(can_follow(NODES, there, [(pod, node) for node in nodes]) for nodes in nodes_for(size)), case
        seen.add(decision.reason if isinstance(decision, Unplaceable) else "placed")
    assert {"placed", Reason.NO_NODE_FITS} < seen


def members_placed(state, fact):
    """The role and the node of each member, as planned; none where the gang is not placed."""
    [decision] = plan(SnapshotCutter(state).cut(0.0, [fact])).decisions
    entries = decision.members if isinstance(decision, Placement) else ()
    return [(entry.role, entry.node) for entry in entries for _ in range(entry.count)]


def all_accepted_last(there, members):
    """Whether each member would be accepted after all others, as where each waits for another to be the first.

    kube-scheduler places none of those; a gang is placed as a whole.
    """
    return all(
        accepts(NODES, there + members[:number] + members[number + 1 :], pod, node)
        for number, (pod, node) in enumerate(members)
    )
