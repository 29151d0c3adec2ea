"""What required affinity among pods means for a gang: nodes that are barred, and terms among its members."""

from dataclasses import replace

import pytest

from builders.facts import gang_fact, gang_spec, member_fact, node_fact, pod_fact, reservation, role_spec
from coschedule import Requirement, Term, TermKind
from lockstep.belief.state import State
from lockstep.facts.cluster.cluster import NamespaceFact
from lockstep.facts.pods.pod import PodAffinity, PodTerm, WrittenTerm
from lockstep.report.text.conflict_sentences import conflict_sentence
from lockstep.snapshot.affinity.affinity import Surroundings
from lockstep.snapshot.constraints import constraints_of
from lockstep.snapshot.snapshots import SnapshotCutter

NODES = {"n1": "east", "n2": "east", "n3": "west", "n4": None}
AVOIDS = "near a pod that its own anti-affinity avoids"
KEPT_AWAY = "near a pod whose anti-affinity keeps it away"
NO_ZONE = "without the label zone, by which members are placed"
WANTS = "without a pod nearby that its affinity requires"
HEAT = {"app": "heat"}


@pytest.fixture
def state():
    state = State(lambda: None)
    for name, zone in NODES.items():
        state.nodes.apply(node_fact(name, labels={"host": name, **({"zone": zone} if zone else {})}))
    return state


def terms_of(state, fact):
    """What the gang's members require of each other."""
    return Surroundings(state, fact).terms()


def term(key="zone", *, app="heat", namespaces=(), of_namespaces=None, alike=()):
    """The pods of an app, near which one is by the value of that label."""
    selector = () if app is None else (Requirement("app", "In", (app,)),)
    return WrittenTerm(PodTerm(key, selector, namespaces, of_namespaces), alike)


def role(name="", *, near=(), apart=(), app="heat"):
    template = {"metadata": {"labels": {"app": app}}, "spec": {"containers": []}}
    return replace(role_spec(name, template=template), pod_affinity=PodAffinity(tuple(near), tuple(apart)))


def gang(*roles, name="g", **spec):
    return gang_fact(name, spec=replace(gang_spec(), roles=roles or (role(),), **spec))


def bars(state, fact, role=""):
    return dict(constraints_of(state, fact, fact.spec.role(role)).barred)


def together(key, roles, towards=None):
    return Term(kind=TermKind.TOGETHER, topology_key=key, roles=frozenset(roles), towards=frozenset(towards or roles))


def apart(key, roles, towards=None):
    return Term(kind=TermKind.APART, topology_key=key, roles=frozenset(roles), towards=frozenset(towards or roles))


# Towards pods of others


def test_gang_that_requires_nothing_of_pods_asks_for_nothing(state):
    fact = gang()

    assert (bars(state, fact), terms_of(state, fact)) == ({}, ())
    assert not state.counts.pods_nearby.pods_by_label.are_asked_for


def test_members_go_to_the_domains_of_the_pods_for_which_they_ask(state):
    state.apply_pod(pod_fact(node="n1", labels=HEAT))
    fact = gang(role(near=[term()]))

    assert bars(state, fact) == {WANTS: {"n3", "n4"}, NO_ZONE: {"n4"}}
    assert terms_of(state, fact) == ()


def test_members_that_ask_for_pods_that_are_nowhere_go_nowhere(state):
    fact = gang(role(near=[term(app="cold")]))

    assert bars(state, fact) == {WANTS: {*NODES}, NO_ZONE: {"n4"}}


def test_pods_have_to_meet_all_terms_of_affinity_at_once(state):
    state.apply_pod(pod_fact("a", node="n1", labels={"app": "heat", "tier": "x"}))
    state.apply_pod(pod_fact("b", node="n3", labels=HEAT))
    tier = WrittenTerm(PodTerm("host", (Requirement("tier", "In", ("x",)),), (), None))

    assert bars(state, gang(role(near=[term(), tier]))) == {WANTS: {"n2", "n3", "n4"}, NO_ZONE: {"n4"}}


def test_members_keep_off_the_domains_of_the_pods_that_they_avoid(state):
    state.apply_pod(pod_fact(node="n1", labels={"app": "cold"}))

    assert bars(state, gang(role(apart=[term(app="cold")]))) == {AVOIDS: {"n1", "n2"}}


def test_each_role_has_its_own_terms(state):
    state.apply_pod(pod_fact(node="n1", labels={"app": "cold"}))
    fact = gang(role("launcher"), role("workers", apart=[term("host", app="cold")]))

    assert (bars(state, fact, "launcher"), bars(state, fact, "workers")) == ({}, {AVOIDS: {"n1"}})


@pytest.mark.parametrize(
    ("written", "want"),
    [
        pytest.param(term(), set(), id="its own namespace alone"),
        pytest.param(term(namespaces=("else",)), {"n1", "n2"}, id="a namespace by name"),
        pytest.param(term(of_namespaces=()), {"n1", "n2"}, id="every namespace"),
        pytest.param(term(of_namespaces=(Requirement("team", "In", ("a",)),)), {"n1", "n2"}, id="a label of it"),
        pytest.param(term(of_namespaces=(Requirement("team", "In", ("b",)),)), set(), id="another label"),
    ],
)
def test_pods_of_other_namespaces_count_where_the_term_says_so(state, written, want):
    pod = pod_fact(node="n1", labels=HEAT)
    state.apply_pod(replace(pod, key=pod.key._replace(namespace="else")))
    state.namespaces.apply(NamespaceFact("else", {"team": "a"}))

    assert bars(state, gang(role(apart=[written]))).get(AVOIDS, set()) == want


def test_own_pods_are_not_others(state):
    state.apply_gang(fact := gang(role(near=[term()], apart=[term("host")])))

    state.apply_pod(
        member_fact("g", node="n1", labels=HEAT, anti_affinity_terms=(PodTerm("host", (), ("default",), None),))
    )

    assert bars(state, fact) == {NO_ZONE: {"n4"}}


def test_members_of_another_gang_count_from_when_they_are_reserved(state):
    other = gang(role(app="cold", apart=[term("host")]), name="other")
    state.apply_gang(other)
    state.assumptions.hold(reservation("other", members=(("n1", 1),)))

    assert bars(state, gang(role(apart=[term(app="cold")]))) == {AVOIDS: {"n1", "n2"}, KEPT_AWAY: {"n1"}}
    assert bars(state, gang(role(near=[term(app="cold")]))) == {
        WANTS: {"n3", "n4"},
        NO_ZONE: {"n4"},
        KEPT_AWAY: {"n1"},
    }
    assert bars(state, other) == {}

    state.assumptions.forget(other.key)
    assert bars(state, gang(role(apart=[term(app="cold")]))) == {}


# Among the gang's own members


def test_placement_says_it_of_all_members_and_nodes_without_the_label_are_barred(state):
    fact = gang(role("launcher"), role("workers"), one_per="host", all_in="zone")

    everybody = {"launcher", "workers"}
    assert terms_of(state, fact) == (apart("host", everybody), together("zone", everybody))
    assert bars(state, fact, "workers") == {NO_ZONE: {"n4"}}


def test_members_that_ask_for_their_own_kind_are_together(state):
    assert terms_of(state, gang(role(near=[term(), term("host")]))) == (together("zone", {""}), together("host", {""}))


def test_members_that_avoid_their_own_kind_are_apart(state):
    assert terms_of(state, gang(role(apart=[term("host")]))) == (apart("host", {""}),)


def test_members_of_one_attempt_are_distinguished_by_the_keys_that_are_to_match(state):
    state.apply_pod(pod_fact(node="n3", labels={**HEAT, "lockstep.dev/attempt": "7"}))
    fact = gang(role(near=[term(alike=("lockstep.dev/gang", "lockstep.dev/attempt"))]))

    assert terms_of(state, fact) == (together("zone", {""}),)


@pytest.mark.parametrize(
    ("roles", "want"),
    [
        pytest.param(
            [role("l", app="lead"), role("w", near=[term(app="lead")])],
            {together("zone", {"w"}, {"l"})},
            id="workers near the launcher",
        ),
        pytest.param(
            [role("l", near=[term()]), role("w", near=[term()])], {together("zone", {"l", "w"})}, id="all near all"
        ),
        pytest.param(
            [role("l"), role("w", near=[term()])],
            {together("zone", {"w"})},
            id="workers with each other, launcher free",
        ),
        pytest.param(
            [role("l", app="lead", near=[term("host")]), role("w", near=[term(app="lead")])],
            {together("host", {"l", "w"}), together("zone", {"l", "w"})},
            id="each near the other",
        ),
        pytest.param(
            [role("l", app="lead", apart=[term("host")]), role("w")],
            {apart("host", {"l"}, {"w"})},
            id="the launcher apart from workers",
        ),
        pytest.param(
            [role("l", apart=[term("host", app=None)]), role("w")],
            {apart("host", {"l"}, {"l", "w"})},
            id="the launcher apart from everybody",
        ),
    ],
)
def test_roles_ask_for_each_other(state, roles, want):
    assert {*terms_of(state, gang(*roles))} == want


def test_pods_of_others_for_which_members_ask_come_before_their_own_kind(state):
    state.apply_pod(pod_fact(node="n3", labels=HEAT))
    fact = gang(role("l", app="lead", near=[term(app="lead")]), role("w", near=[term()]))

    assert terms_of(state, fact) == (together("zone", {"l"}),)
    assert bars(state, fact, "w") == {WANTS: {"n1", "n2", "n4"}, NO_ZONE: {"n4"}}


# Before a reservation is carried out


@pytest.mark.parametrize(
    ("roles", "pods", "want"),
    [
        pytest.param(
            role(apart=[term("host", app="cold")]),
            [pod_fact(node="n2", labels={"app": "cold"})],
            f"its constraints do not hold on n2: {AVOIDS}",
            id="a pod that came meanwhile",
        ),
        pytest.param(
            role(near=[term()]),
            [],
            "on n2, n3, members would not share a value of zone with the pods that they require",
            id="pods that went meanwhile",
        ),
        pytest.param(
            role(apart=[term("zone", app=None)]),
            [],
            None,
            id="members that are apart",
        ),
        pytest.param(
            role(near=[term()]),
            [member_fact("g", node="n2", labels=HEAT)],
            "on n3, members would not share a value of zone with the pods that they require",
            id="a member that is bound stays",
        ),
    ],
)
def test_reservation_is_carried_out_only_among_the_pods_that_are_there_now(state, roles, pods, want):
    for pod in pods:
        state.apply_pod(pod)
    held = reservation(members=(("n2", 1), ("n3", 1)))

    conflict = SnapshotCutter(state).conflict(gang(roles), held, 0.0)

    assert (conflict and conflict_sentence(conflict)) == want


def test_conflict_of_members_that_would_share_a_domain_says_so(state):
    held = reservation(members=(("n1", 1), ("n2", 1)))

    conflict = SnapshotCutter(state).conflict(gang(one_per="zone"), held, 0.0)

    assert conflict_sentence(conflict) == "on n1, n2, members that must be apart would share a value of zone"
