"""Where members may stand is where kube-scheduler would let them, pod by pod, in some order."""

import json
from itertools import combinations_with_replacement
from random import Random

import pytest

from builders.facts import node_fact
from builders.served import gang
from builders.served import pod as pod_manifest
from differential.one_by_one import REQUIRED, Pod, can_follow
from lockstep.api.gangjob import parse_gang
from lockstep.api.membership import member_labels
from lockstep.api.pod import parse_pod
from lockstep.belief.affinity import terms_of
from lockstep.belief.broken_terms import Stand, broken_term
from lockstep.belief.constraints import constraints_of
from lockstep.belief.state import State

# Two zones, a rack that reaches into both, and a node without a zone.
NODES = {
    "n1": {"host": "n1", "zone": "east", "rack": "a"},
    "n2": {"host": "n2", "zone": "east"},
    "n3": {"host": "n3", "zone": "west", "rack": "a"},
    "n4": {"host": "n4"},
}
CHOICES = [nodes for size in (1, 2, 3) for nodes in combinations_with_replacement(NODES, size)]
KEYS = ("host", "zone", "zone", "rack")
APPS = ("heat", "cold")
SELECTORS = (
    {"matchLabels": {"app": "heat"}},
    {"matchLabels": {"app": "cold"}},
    {"matchLabels": {"tier": "x"}},
    {},
    None,
)


def random_term(rnd):
    term = {"topologyKey": rnd.choice(KEYS), "labelSelector": rnd.choice(SELECTORS)}
    if term["labelSelector"] is not None and rnd.random() < 0.3:
        term[rnd.choice(("matchLabelKeys", "mismatchLabelKeys"))] = [rnd.choice(("tier", "lockstep.dev/gang"))]
    if rnd.random() < 0.2:
        term["namespaces"] = [rnd.choice(("default", "else"))]
    return term


def random_affinity(rnd, most):
    kinds = {
        kind: [random_term(rnd) for _ in range(rnd.randint(0, most))] for kind in ("podAffinity", "podAntiAffinity")
    }
    return {kind: {REQUIRED: terms} for kind, terms in kinds.items() if terms}


def random_labels(rnd):
    return {"app": rnd.choice(APPS), **({"tier": rnd.choice("xy")} if rnd.random() < 0.5 else {})}


def completed(term, labels):
    """The term of a pod as the API server serves it: with the values of the keys that are to match."""
    keys = {"In": term.get("matchLabelKeys", ()), "NotIn": term.get("mismatchLabelKeys", ())}
    more = [
        {"key": key, "operator": operator, "values": [labels[key]]}
        for operator, those in keys.items()
        for key in those
        if key in labels
    ]
    return {**term, "labelSelector": {**term["labelSelector"], "matchExpressions": more}} if more else term


def served(name, labels, affinity, node):
    affinity = {kind: {REQUIRED: [completed(term, labels) for term in one[REQUIRED]]} for kind, one in affinity.items()}
    return parse_pod(pod_manifest(name, node=node, labels=labels, spec={"affinity": affinity}))


def allowed(state, fact, choices):
    """Which of these choices of nodes members may stand on."""
    barred = {name for _, names in constraints_of(state, fact, fact.spec.roles[0]).barred for name in names}
    terms = terms_of(state, fact)
    for nodes in choices:
        stands = [Stand("", node, to_come=True) for node in nodes]
        yield not barred & set(nodes) and broken_term(terms, stands, state.nodes) is None


@pytest.mark.parametrize("seed", range(8))
def test_members_may_stand_where_each_would_be_accepted_after_the_others(seed):
    rnd = Random(seed)  # noqa: S311 - cases of a test are no secrets
    seen = set()
    for _ in range(150):
        state = State(lambda: None)
        for name, labels in NODES.items():
            state.apply_node(node_fact(name, labels=labels))
        there = []
        for number in range(rnd.randint(0, 2)):
            labels, affinity, node = random_labels(rnd), random_affinity(rnd, 1), rnd.choice(list(NODES))
            state.apply_pod(served(f"p{number}", labels, affinity, node))
            there.append((Pod(labels, affinity), node))
        labels, affinity = random_labels(rnd), random_affinity(rnd, 2)
        template = {"metadata": {"labels": labels}, "spec": {"containers": [], "affinity": affinity}}
        fact = parse_gang(gang("g", spec={"template": template}), None)
        state.apply_gang(fact)
        member = Pod(member_labels(fact.key, fact.spec.roles[0], 1), affinity)

        for nodes, may in zip(CHOICES, allowed(state, fact, CHOICES), strict=True):
            want = can_follow(NODES, there, [(member, node) for node in nodes])
            assert may == want, json.dumps([nodes, affinity, labels, [(vars(pod), node) for pod, node in there]])
            seen.add(want)
    assert seen == {True, False}
