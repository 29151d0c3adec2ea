"""What gangs of each namespace hold, with a bounded number of series, and records that wait or were lost."""

from collections import deque
from dataclasses import replace

import pytest
from prometheus_client import CollectorRegistry

from builders.facts import gang_fact, gang_spec, node_fact, pod_fact, reservation
from builders.pod_gangs import pod_gang
from coschedule import GangKey
from lockstep.belief.records import gang_records
from lockstep.belief.state import State
from lockstep.facts.gang.pod_gang import GroupMember, grouped
from lockstep.facts.pods.pod import Membership
from lockstep.report.metrics.queue_metrics import OTHERS
from lockstep.report.metrics.usage_metrics import MOST_NAMESPACES, UsageMetrics

REQUEST = (("cpu", 1500), ("memory", 2**30), ("nvidia.com/gpu", 2))


@pytest.fixture
def state():
    state = State(lambda: None)
    state.nodes.apply(node_fact("n1"))
    return state


@pytest.fixture
def registry():
    return CollectorRegistry()


def hold(state, namespace, members=1):
    key = GangKey(namespace, "g")
    state.apply_gang(replace(gang_fact("g", uid=namespace, spec=gang_spec(request=REQUEST)), key=key))
    held = reservation("g", members=(("n1", members),), request=REQUEST)
    state.assumptions.hold(replace(held, gang=key, gang_uid=namespace))


def shown(metrics, registry, state, name):
    deque(metrics.refreshing(state))
    [family] = [one for one in registry.collect() if one.name == name]
    return {sample.labels.get("gang_namespace", ""): sample.value for sample in family.samples}


def test_members_count_in_the_namespace_of_their_gang(state, registry):
    metrics = UsageMetrics(registry)
    hold(state, "one", members=2)
    hold(state, "two")

    assert shown(metrics, registry, state, "lockstep_namespace_cores") == {"one": 3, "two": 1.5, OTHERS: 0}
    assert shown(metrics, registry, state, "lockstep_namespace_gpus") == {"one": 4, "two": 2, OTHERS: 0}
    memory = shown(metrics, registry, state, "lockstep_namespace_memory_bytes")
    assert memory == {"one": 2 * 2**30, "two": 2**30, OTHERS: 0}


def test_pods_of_a_gang_count_in_its_namespace(state, registry):
    gang = pod_gang()
    state.pod_gang_facts.apply(gang)
    seat = Membership(gang.key, gang.uid, 1, 0)
    state.apply_pod(grouped(pod_fact("a", node="n1", request=REQUEST), GroupMember(gang.key, seat, None)))

    cores = shown(UsageMetrics(registry), registry, state, "lockstep_namespace_cores")

    assert cores == {"default": 1.5, OTHERS: 0}


def test_however_many_namespaces_there_are_only_the_largest_have_series(state, registry):
    metrics = UsageMetrics(registry)
    for number in range(70):
        hold(state, f"n{number:02}", members=1 + (number == 69))

    cores = shown(metrics, registry, state, "lockstep_namespace_cores")

    assert len(cores) == MOST_NAMESPACES + 1
    assert (cores["n69"], cores["n00"], cores[OTHERS]) == (3, 1.5, 20 * 1.5)


def test_records_that_wait_and_those_that_were_lost_are_counted(state, registry, monkeypatch):
    monkeypatch.setattr(gang_records, "MOST_WAITING", 2)
    metrics = UsageMetrics(registry)
    state.records.begin((), has_users=False)
    for number in range(5):
        state.apply_gang(gang_fact(f"g{number}"))

    assert shown(metrics, registry, state, "lockstep_records_waiting") == {"": 2}
    deque(metrics.refreshing(state))
    assert registry.get_sample_value("lockstep_records_dropped_total") == 3
