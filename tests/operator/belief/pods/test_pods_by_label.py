"""On which nodes pods of which labels are."""

import random
from dataclasses import replace

import pytest

from builders.facts import node_fact, pod_fact
from builders.selectors import selects_one_by_one
from builders.work import instructions
from coschedule import Requirement
from lockstep.belief.common.steps import Steps
from lockstep.belief.pods import pod_questions
from lockstep.belief.pods.pod_effects import takes_room
from lockstep.belief.pods.pod_index import PodSet
from lockstep.belief.pods.pod_questions import PodDemand, WantedPods
from lockstep.belief.state import State
from lockstep.facts.pods.pod import PodKey, PodPhase

HEAT = (Requirement("app", "In", ("heat",)),)
HERE, EVERYWHERE = frozenset({"default"}), None


def state_with(*pods):
    state = State(lambda: None)
    state.nodes.apply(node_fact("n1"))
    for pod in pods:
        state.apply_pod(pod)
    return state


def matches(wanted, pod):
    return wanted.is_about(pod.key.namespace) and selects_one_by_one(wanted.selector, dict(pod.labels))


def asked(state, *wanted, own=()):
    return state.counts.pods_nearby.pods_by_label.nodes_of([PodDemand(wanted)], own)


@pytest.mark.parametrize(
    ("wanted", "want"),
    [
        pytest.param([WantedPods(HEAT, HERE)], {"n1"}, id="labels that match"),
        pytest.param([WantedPods((Requirement("app", "In", ("cold",)),), HERE)], set(), id="others' labels"),
        pytest.param([WantedPods((), HERE)], {"n1", "n2"}, id="all labels"),
        pytest.param([WantedPods(None, HERE)], set(), id="no labels at all"),
        pytest.param([WantedPods((), frozenset({"else"}))], {"n3"}, id="another namespace"),
        pytest.param([WantedPods((), EVERYWHERE)], {"n1", "n2", "n3"}, id="every namespace"),
        pytest.param([WantedPods(HEAT, EVERYWHERE), WantedPods((), HERE)], {"n1"}, id="both"),
        pytest.param([WantedPods(HEAT, HERE), WantedPods((), frozenset({"else"}))], set(), id="both, which none is"),
    ],
)
def test_nodes_are_those_of_the_pods_that_are_wanted(wanted, want):
    elsewhere = replace(pod_fact("c", node="n3", labels={"app": "heat"}), key=PodKey("else", "c"))
    state = state_with(
        pod_fact("a", node="n1", labels={"app": "heat", "tier": "front"}), pod_fact("b", node="n2"), elsewhere
    )

    assert asked(state, *wanted) == want


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(pod_fact(labels={"app": "heat"}), id="on no node"),
        pytest.param(pod_fact(node="n1", phase=PodPhase.SUCCEEDED, labels={"app": "heat"}), id="ended"),
    ],
)
def test_pod_that_takes_no_room_is_nowhere(pod):
    assert asked(state_with(pod), WantedPods(HEAT, HERE)) == set()


def test_pod_that_is_being_deleted_is_still_there():
    assert asked(state_with(pod_fact(node="n1", labels={"app": "heat"}, deleting=True)), WantedPods(HEAT, HERE)) == {
        "n1"
    }


def test_own_pods_do_not_count_but_others_of_their_node_do():
    own, other = (pod_fact(name, node="n1", labels={"app": "heat"}) for name in ("own", "other"))
    state = state_with(own)
    assert asked(state, WantedPods(HEAT, HERE), own=[own]) == set()

    state.apply_pod(other)

    assert asked(state, WantedPods(HEAT, HERE), own=[own]) == {"n1"}


def test_another_label_of_a_pod_is_a_change_after_the_first_query():
    state = state_with(pod_fact(node="n1", labels={"app": "cold"}))
    assert asked(state, WantedPods(HEAT, HERE)) == set()
    state.changes.begin_plan()

    state.apply_pod(pod_fact(node="n1", labels={"app": "heat"}))

    assert state.changes.is_plan_due
    assert asked(state, WantedPods(HEAT, HERE)) == {"n1"}


def test_another_label_of_a_pod_is_no_change_without_a_query():
    state = state_with(pod_fact(node="n1", labels={"app": "cold"}))
    state.changes.begin_plan()

    state.apply_pod(pod_fact(node="n1", labels={"app": "heat"}))

    assert not state.changes.is_plan_due


def test_answers_are_those_of_a_check_of_every_pod():
    rnd = random.Random(7)  # noqa: S311 - cases of a test are no secrets
    state = state_with()
    values = ("heat", "cold", None)
    for _ in range(600):
        name, node = f"p{rnd.randrange(12)}", rnd.choice(("", "n1", "n2", "n3"))
        labels = {key: value for key in ("app", "tier") if (value := rnd.choice(values))}
        pod = pod_fact(name, node=node, phase=rnd.choice((PodPhase.RUNNING, PodPhase.FAILED)), labels=labels)
        state.remove_pod(pod.key, pod.uid)
        if rnd.random() < 0.7:
            state.apply_pod(pod)
        operator, key = rnd.choice(("In", "NotIn", "Exists")), rnd.choice(("app", "tier"))
        wanted = WantedPods((Requirement(key, operator, () if operator == "Exists" else ("heat",)),), HERE)

        nodes = asked(state, wanted)

        there = [pod for pod in state.pods.values() if takes_room(pod)]
        assert nodes == {pod.node for pod in there if matches(wanted, pod)}


def some_pod(rnd):
    labels = {key: value for key in ("app", "tier") if (value := rnd.choice(("heat", "cold", None)))}
    return pod_fact(f"p{rnd.randrange(2_000)}", node=rnd.choice(("", f"n{rnd.randrange(400)}")), labels=labels)


@pytest.mark.parametrize("seed", range(4))
def test_pods_that_come_and_go_while_the_first_question_is_made_ready_count(seed):
    rnd, state = random.Random(seed), state_with()  # noqa: S311 - cases of a test are no secrets
    for _ in range(3_000):
        state.apply_pod(some_pod(rnd))
    steps = 0

    for _ in state.counts.pods_nearby.pods_by_label.making_ready(Steps()):
        steps += 1
        for _ in range(100):
            pod = some_pod(rnd)
            (state.apply_pod if rnd.random() < 0.6 else lambda it: state.remove_pod(it.key, it.uid))(pod)

    pods = state.counts.pods_nearby.pods_by_label
    reading = pods.reading_values(PodDemand((WantedPods(HEAT, HERE),)), Steps())
    for _ in reading:
        steps += 1000
        for _ in range(100):
            pod = some_pod(rnd)
            (state.apply_pod if rnd.random() < 0.6 else lambda it: state.remove_pod(it.key, it.uid))(pod)

    assert steps > 1001
    assert list(state.counts.pods_nearby.pods_by_label.making_ready(Steps())) == []
    for wanted in (
        WantedPods(HEAT, HERE),
        WantedPods((), HERE),
        WantedPods((Requirement("tier", "NotIn", ("cold",)),), HERE),
    ):
        there = [pod for pod in state.pods.values() if takes_room(pod)]
        assert asked(state, wanted) == {pod.node for pod in there if matches(wanted, pod)}


def test_question_that_is_asked_while_it_is_made_ready_is_answered_at_once():
    state = state_with(*(pod_fact(f"p{number}", node="n1", labels={"app": "heat"}) for number in range(500)))
    making = state.counts.pods_nearby.pods_by_label.making_ready(Steps())
    next(making)

    assert asked(state, WantedPods(HEAT, HERE)) == {"n1"}
    state.apply_pod(pod_fact("late", node="n2", labels={"app": "heat"}))
    for _ in making:
        pass
    assert asked(state, WantedPods(HEAT, HERE)) == {"n1", "n2"}


def test_what_is_given_up_half_made_is_begun_anew():
    state = state_with(*(pod_fact(f"p{number}", node="n1", labels={"app": "heat"}) for number in range(500)))
    making = state.counts.pods_nearby.pods_by_label.making_ready(Steps())
    next(making)
    making.close()
    state.apply_pod(pod_fact("late", node="n2", labels={"app": "heat"}))

    assert list(state.counts.pods_nearby.pods_by_label.making_ready(Steps()))
    assert asked(state, WantedPods(HEAT, HERE)) == {"n1", "n2"}


def some_wanted(rnd):
    """Pods by up to three requirements, in some namespaces."""
    requirements = []
    for _ in range(rnd.randint(0, 3)):
        operator = rnd.choice(("In", "NotIn", "Exists", "DoesNotExist", "Gt"))
        few = {"Exists": 0, "DoesNotExist": 0, "Gt": 1}.get(operator, rnd.randint(1, 3))
        values = tuple(rnd.choice(("heat", "cold", "1", "7")) for _ in range(few))
        requirements.append(Requirement(rnd.choice(("app", "tier", "never")), operator, values))
    selector = rnd.choice((tuple(requirements), tuple(requirements), None))
    return WantedPods(selector, rnd.choice((None, HERE, frozenset({"else"}), frozenset({"default", "else", "none"}))))


@pytest.mark.parametrize("compared", [1, 100], ids=["the first", "all"])
@pytest.mark.parametrize("few", [0, 200], ids=["all at once", "one by one"])
@pytest.mark.parametrize("seed", range(4))
def test_nodes_are_those_that_a_check_of_every_pod_finds_whatever_is_asked(seed, few, compared, monkeypatch):
    monkeypatch.setattr(pod_questions, "_FEW", few)
    monkeypatch.setattr(pod_questions, "_MOST_COMPARED", compared)
    rnd, state = random.Random(seed), state_with()  # noqa: S311 - cases of a test are no secrets
    questions = [tuple(some_wanted(rnd) for _ in range(rnd.randint(1, 2))) for _ in range(30)]
    for number in range(300):
        namespace, node = rnd.choice(("default", "else")), rnd.choice(("", "n1", "n2", "n3", f"n{number % 40}"))
        labels = {key: value for key in ("app", "tier") if (value := rnd.choice(("heat", "cold", "7", "9", None)))}
        pod = pod_fact(f"p{rnd.randrange(12)}", node=node, labels=labels)
        pod = replace(pod, key=PodKey(namespace, pod.key.name), uid=f"{namespace}-{pod.key.name}")
        (state.apply_pod if rnd.random() < 0.7 else lambda it: state.remove_pod(it.key, it.uid))(pod)
        own = rnd.sample(list(state.pods.values()), rnd.randint(0, min(2, len(state.pods))))
        asked_now = rnd.sample(questions, 2)

        nodes = state.counts.pods_nearby.pods_by_label.nodes_of(map(PodDemand, asked_now), own)

        there = [pod for pod in state.pods.values() if takes_room(pod) and pod not in own]
        assert nodes == {
            pod.node for pod in there for question in asked_now if all(matches(wanted, pod) for wanted in question)
        }


def test_labels_that_no_pod_has_cost_little_however_many_are_asked_for():
    """As of a gang whose affinity has 58 terms of 58 requirements each."""
    state = state_with(pod_fact("a", node="n1", labels={"app": "heat"}))
    few, many = (
        [(WantedPods(tuple(Requirement(f"k{one}", "Gt", ("1",)) for one in range(count)), HERE),)]
        for count in (200, 3_400)
    )

    spent = [
        instructions(lambda it=it: state.counts.pods_nearby.pods_by_label.nodes_of(map(PodDemand, it), ()))
        for it in (few, many)
    ]

    assert spent[1] <= spent[0] + 100 * 3_200


@pytest.mark.parametrize("operator", ["In", "NotIn", "Exists", "DoesNotExist"])
def test_label_that_all_pods_have_costs_little_however_many_requirements_are_about_it(operator):
    """As of a gang whose affinity has 58 terms of 58 requirements each, all about ``app``."""
    state = state_with(*(pod_fact(f"p{one}", node=f"n{one}", labels={"app": "heat"}) for one in range(300)))
    some = {"In": lambda one: ("heat", f"v{one}"), "NotIn": lambda one: (f"v{one}",)}.get(operator, lambda _: ())
    few, many = (
        [(WantedPods(tuple(Requirement("app", operator, some(one)) for one in range(count)), HERE),)]
        for count in (200, 3_400)
    )

    sets = [sets_read(state, it) for it in (few, many)]

    assert max(sets) <= 2


def sets_read(state, questions):
    """How many sets of pods are read for some queries, each of which is as long as the pods of a cluster."""
    read, rows = [], PodSet.rows.fget
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(PodSet, "rows", property(lambda it: read.append(it) or rows(it)))
        state.counts.pods_nearby.pods_by_label.nodes_of(map(PodDemand, questions), ())
    return len(read)
