"""Which requirement nodes fail, beside looking at node after node; and phrases of strings that are odd but legal."""

from collections import Counter

import pytest

from coschedule.queue.constraints.phrases import outside_affinity, with_taint, without_label
from coschedule.queue.constraints.terms import Constraints, NodeTerm, Requirement, Taint, Toleration
from coschedule.queue.feasible.feasibility import Feasibility, Phrase
from engine.builders import node, seeded, snapshot

KEYS, VALUES = ("gpu", "zone"), ("a", "b")
EFFECTS = ("NoSchedule", "NoExecute", "PreferNoSchedule")


@pytest.mark.parametrize("seed", range(200))
def test_nodes_are_counted_by_the_first_requirement_that_each_fails(seed):
    rnd = seeded(seed)
    nodes = [random_node(rnd, number) for number in range(rnd.randrange(1, 30))]
    table = snapshot(nodes, []).nodes
    constraints = random_constraints(rnd)

    found = Feasibility(table).failures(constraints)

    fates = [fate(table, index, constraints) for index in range(len(nodes))]
    assert found == {**counted_taints(fates), **Counter(one for one in fates if isinstance(one, str))}
    assert sum(found.values()) == int((~Feasibility(table).mask(constraints)).sum())


def random_node(rnd, number):
    labels = {key: rnd.choice(VALUES) for key in KEYS if rnd.random() < 0.7}
    taints = [random_taint(rnd) for _ in range(rnd.randrange(3))]
    return node(f"n{number:02}", labels=labels, taints=taints, ready=rnd.random() < 0.9, cordoned=rnd.random() < 0.1)


def random_taint(rnd):
    return Taint(f"t{rnd.randrange(6)}", rnd.choice(["", "x"]), rnd.choice(EFFECTS))


def random_constraints(rnd):
    return Constraints(
        node_selector=tuple((key, rnd.choice(VALUES)) for key in KEYS if rnd.random() < 0.3),
        affinity=(NodeTerm((Requirement("gpu", "Exists", ()), Requirement("zone", "NotIn", ("b",))), ()),)
        if rnd.random() < 0.5
        else None,
        tolerations=tuple(Toleration(f"t{number}", "Exists", "", "") for number in range(6) if rnd.random() < 0.4),
        barred=(("near others", frozenset({"n00", "n03"})),),
    )


def fate(table, index, constraints):
    """What a node fails first: a phrase, or the taint that keeps members off it; None where it passes."""
    return next(fates_of(table, index, constraints), None)


def fates_of(table, index, constraints):
    if not table.ready[index]:
        yield Phrase.NOT_READY
    if table.unschedulable[index]:
        yield Phrase.CORDONED
    tolerated = {toleration.key for toleration in constraints.tolerations}
    for taint in table.taints[index]:
        if taint.effect != "PreferNoSchedule" and taint.key not in tolerated:
            yield taint
    labels = table.labels[index]
    for key, value in constraints.node_selector:
        if labels.get(key) != value:
            yield f"without {key}={value}"
    if constraints.affinity is not None and "gpu" not in labels:
        yield "without the label gpu"
    if constraints.affinity is not None and labels.get("zone") == "b":
        yield "outside its affinity zone!=b"
    if table.names[index] in ("n00", "n03"):
        yield "near others"


def counted_taints(fates):
    taints = Counter(one for one in fates if isinstance(one, Taint))
    ordered = sorted(taints, key=lambda taint: (-taints[taint], taint))
    named = {f"with the untolerated taint {taint.formatted}": taints[taint] for taint in ordered[:3]}
    others = sum(taints[taint] for taint in ordered[3:])
    return named | ({Phrase.OTHER_TAINTS: others} if others else {})


@pytest.mark.parametrize(
    ("phrase", "want"),
    [
        (without_label(Requirement("gpu", "In", ("a100",))), "without gpu=a100"),
        (without_label(Requirement("gpu", "In", ("",))), "without gpu="),
        (without_label(Requirement("zone", "In", ("a", "b"))), "outside its affinity zone in (a, b)"),
        (without_label(Requirement("zone", "NotIn", tuple("abcde"))), "outside its affinity zone notin (a, b, c, …)"),
        (without_label(Requirement("gpu", "Exists", ())), "without the label gpu"),
        (without_label(Requirement("gpu", "DoesNotExist", ())), "outside its affinity !gpu"),
        (without_label(Requirement("cpus", "Gt", ("8",))), "outside its affinity cpus>8"),
        (with_taint(Taint("gpu", "", "NoSchedule")), "with the untolerated taint gpu:NoSchedule"),
        (
            outside_affinity(
                [
                    NodeTerm((Requirement("zone", "In", ("a",)), Requirement("gpu", "Exists", ())), ()),
                    NodeTerm((), (Requirement("metadata.name", "In", ("n1",)),)),
                ]
            ),
            "outside its affinity zone=a,gpu or metadata.name=n1",
        ),
        (outside_affinity([]), "outside its affinity"),
        (outside_affinity([NodeTerm((), ())]), "outside its affinity"),
    ],
    ids=lambda value: value,
)
def test_requirements_are_formatted_as_by_kubectl(phrase, want):
    assert phrase == want


def test_phrases_stay_short_whatever_their_owners_write():
    long = Requirement("k" * 300, "In", tuple("v" * 63 + str(number) for number in range(100)))

    for phrase in (
        without_label(long),
        outside_affinity([NodeTerm((long,) * 50, ())] * 50),
        with_taint(Taint("k" * 300, "v", "NoExecute")),
    ):
        assert len(phrase) <= 120
        assert phrase.endswith("…")
