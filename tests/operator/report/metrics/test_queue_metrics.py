"""Gangs that wait, by priority and by namespace."""

from collections import deque
from dataclasses import replace

import pytest
from prometheus_client import CollectorRegistry

from builders.facts import gang_fact, gang_spec, reservation
from coschedule import GangKey
from lockstep.belief.state import State
from lockstep.facts.cluster.cluster import PriorityClass
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.reasons import Reason
from lockstep.report.metrics.gauges import refreshing
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.metrics.queue_metrics import MOST_SERIES, OTHERS, UNKNOWN_PRIORITY

BY_PRIORITY, BY_NAMESPACE = "lockstep_waiting_gangs_by_priority", "lockstep_waiting_gangs_by_namespace"


@pytest.fixture
def state():
    return State(lambda: None)


@pytest.fixture
def metrics():
    return Metrics(CollectorRegistry())


def submit(state, name, *, namespace="default", priority_class="", refusal=None, **more):
    """A gang that waits."""
    known = gang_fact(name, uid=f"{namespace}/{name}", spec=gang_spec(priority_class=priority_class))
    gang = replace(known, key=GangKey(namespace, name), **more)
    state.apply_gang(gang if refusal is None else gang.refused(refusal))


def shown(metrics, state, name):
    """Each series of that metric, by its label's value."""
    deque(refreshing(metrics, state, 100.0, ()))
    [family] = [one for one in metrics.registry.collect() if one.name == name]
    return {next(iter(sample.labels.values())): sample.value for sample in family.samples}


def test_gangs_that_wait_count_in_their_priority_and_namespace(metrics, state):
    state.priorities.apply(PriorityClass(name="high", value=1000, is_default=False, preempts=True))
    submit(state, "a", namespace="one", priority_class="high")
    submit(state, "b", namespace="one")
    submit(state, "c", namespace="two", priority_class="missing")

    assert shown(metrics, state, BY_PRIORITY) == {"1000": 1, "0": 1, UNKNOWN_PRIORITY: 1, OTHERS: 0}
    assert shown(metrics, state, BY_NAMESPACE) == {"one": 2, "two": 1, OTHERS: 0}


def test_gangs_that_hold_nodes_or_are_refused_do_not_wait(metrics, state):
    state.apply_gang(gang_fact("reserved"))
    state.assumptions.hold(reservation("reserved"))
    submit(state, "wrong")
    submit(state, "wrong", namespace="wrong", refusal=Refusal(Reason.INVALID_SPEC, "wrong."))

    assert shown(metrics, state, BY_NAMESPACE) == {"default": 1, OTHERS: 0}


def test_series_without_waiting_gangs_are_gone(metrics, state):
    submit(state, "g", namespace="one")
    assert shown(metrics, state, BY_NAMESPACE) == {"one": 1, OTHERS: 0}

    state.remove_gang(GangKey("one", "g"), "one/g")
    assert shown(metrics, state, BY_NAMESPACE) == {OTHERS: 0}
    assert shown(metrics, state, BY_PRIORITY) == {OTHERS: 0}


def test_however_many_namespaces_and_priorities_there_are_only_the_largest_have_series(metrics, state):
    for number in range(300):
        state.priorities.apply(PriorityClass(name=f"c{number}", value=number, is_default=False, preempts=True))
        submit(state, "g", namespace=f"n{number:03}", priority_class=f"c{number}")
    for name in ("h", "i"):
        submit(state, name, namespace="n299", priority_class="c7")

    by_namespace, by_priority = shown(metrics, state, BY_NAMESPACE), shown(metrics, state, BY_PRIORITY)
    assert len(by_namespace) == len(by_priority) == MOST_SERIES + 1
    assert (by_namespace["n299"], by_priority["7"]) == (3, 3)
    assert by_namespace[OTHERS] == by_priority[OTHERS] == 302 - 3 - (MOST_SERIES - 1)


def test_the_choice_among_equals_does_not_depend_on_their_order():
    names = [f"n{number}" for number in range(50)]
    seen = []
    for order in (names, names[::-1]):
        belief = State(lambda: None)
        for name in order:
            submit(belief, "g", namespace=name)
        seen.append(shown(Metrics(CollectorRegistry()), belief, BY_NAMESPACE))

    assert seen[0] == seen[1]
