"""Metrics keep the rules of Prometheus, and exist before there is anything to count."""

import re
from collections import deque
from dataclasses import replace
from itertools import islice
from time import time

import pytest
from prometheus_client import CollectorRegistry

from builders.facts import bid_fact, gang_fact, gang_spec, member_fact, node_fact, reservation
from coschedule import Reason as PlanReason
from lockstep.belief.state import State
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.policies import Action, Policies
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.gang.way_back import WayBack
from lockstep.facts.reasons import Reason
from lockstep.report.metrics.api_metrics import WATCHED_RESOURCES
from lockstep.report.metrics.capacity_metrics import NODE_STATES, SLOT_STATES
from lockstep.report.metrics.gauges import refreshing
from lockstep.report.metrics.metrics import (
    BINDING_RESULTS,
    CYCLE_RESULTS,
    END_REASONS,
    GANG_ERROR_STAGES,
    GANG_STATES,
    OUTCOMES,
    REFUSED_WRITES,
    STAGES,
    UNDONE_REASONS,
    Metrics,
)
from lockstep.report.metrics.size_change_metrics import SIZE_REASONS
from lockstep.watch.kinds import bids_kind, gangs_kind
from lockstep.watch.kubernetes_kinds import WATCHED

UNBOUNDED_LABELS = {"pod", "gang", "node", "uid", "name", "namespace", "gangjob", "instance"}


@pytest.fixture
def metrics():
    return Metrics(CollectorRegistry())


@pytest.fixture
def families(metrics):
    metrics.api.request_answered("GET", "pods", 200, 0.01)
    metrics.api.watch_heard("pods")
    metrics.undone.labels(Reason.QUOTA_EXCEEDED).inc()
    return list(metrics.registry.collect())


def value(metrics, name, **labels):
    return metrics.registry.get_sample_value(name, labels)


def test_metrics_follow_the_naming_rules(families):
    assert len(families) > 10
    for family in families:
        assert re.fullmatch(r"lockstep_[a-z_]+", family.name)
        assert not family.name.endswith(("_milliseconds", "_count", "_ms", "_total"))
        assert re.fullmatch(r"[A-Z].*\.", family.documentation)
        for sample in family.samples:
            assert not UNBOUNDED_LABELS & set(sample.labels)


def test_every_labelled_metric_is_bounded_by_words_of_ours(families):
    bounded_by_code = {
        "verb",
        "resource",
        "code",
        "version",
        "python_version",
        "le",
        "priority",
        "gang_namespace",
        "group",
    }
    enumerated = {"action", "result", "stage", "outcome", "state", "reason", "write", "resource", "source", "direction"}
    for family in families:
        for sample in family.samples:
            assert set(sample.labels) <= bounded_by_code | enumerated


def test_histograms_distinguish_a_day_from_a_week_where_starts_are_promised(families):
    for family in families:
        if family.name in {"lockstep_gang_wait_seconds", "lockstep_start_wait_seconds", "lockstep_start_delay_seconds"}:
            bounds = {float(sample.labels["le"]) for sample in family.samples if "le" in sample.labels}
            assert {0.1, 3600, 86_400, 7 * 86_400} <= bounds


def test_histograms_name_their_unit(families):
    names = [family.name for family in families if family.type == "histogram"]

    assert names
    assert all(name.endswith(("_seconds", "_ratio", "_members")) for name in names)


def test_counters_end_in_total(families):
    for family in families:
        if family.type == "counter":
            assert {s.name for s in family.samples if not s.name.endswith("_created")} == {f"{family.name}_total"}


@pytest.mark.parametrize(
    ("name", "label", "values"),
    [
        ("lockstep_cycles_total", "result", CYCLE_RESULTS),
        ("lockstep_cycle_duration_seconds_count", "stage", STAGES),
        ("lockstep_decisions_total", "outcome", OUTCOMES),
        ("lockstep_gangs", "state", GANG_STATES),
        ("lockstep_binds_total", "result", BINDING_RESULTS),
        ("lockstep_gangs_given_up_total", "result", WayBack),
        ("lockstep_gang_errors_total", "stage", GANG_ERROR_STAGES),
        ("lockstep_attempts_undone_total", "reason", UNDONE_REASONS),
        ("lockstep_gang_failures_total", "action", Action),
        ("lockstep_gangs_ended_total", "reason", END_REASONS),
        ("lockstep_statuses_refused_total", "write", REFUSED_WRITES),
        ("lockstep_objects_not_understood_total", "resource", WATCHED_RESOURCES),
        ("lockstep_size_changes_decided_total", "reason", SIZE_REASONS),
        ("lockstep_nodes", "state", NODE_STATES),
        ("lockstep_slots", "state", SLOT_STATES),
        ("lockstep_gang_wait_seconds_count", None, None),
        ("lockstep_start_delay_seconds_count", None, None),
        ("lockstep_run_time_ratio_count", None, None),
        ("lockstep_reservation_conflicts_total", None, None),
        ("lockstep_oldest_pending_gang_seconds", None, None),
        ("lockstep_start_overdue_seconds", None, None),
        ("lockstep_cycle_lag_seconds", None, None),
        ("lockstep_assumed_pods", None, None),
    ],
)
def test_enumerated_series_exist_from_the_start(metrics, name, label, values):
    labels = [{}] if label is None else [{label: one} for one in values]

    assert [value(metrics, name, **one) for one in labels] == [0] * len(labels)


def test_every_kind_that_is_watched_has_its_series():
    state = State(lambda: None)
    kinds = [make_kind(state) for make_kind in (*WATCHED, gangs_kind, bids_kind)]

    assert sorted(kind.target.resource for kind in kinds) == sorted(WATCHED_RESOURCES)


def test_watches_that_have_said_nothing_yet_grow_old_from_the_start_of_the_process(metrics):
    now = time()

    ages = [
        now - value(metrics, "lockstep_watch_last_event_timestamp_seconds", resource=one) for one in WATCHED_RESOURCES
    ]

    assert all(0 <= age < 60 for age in ages)


def test_build_is_exported(metrics):
    [family] = [one for one in metrics.registry.collect() if one.name == "lockstep_build_info"]
    [sample] = family.samples

    assert sample.value == 1
    assert set(sample.labels) == {"version", "python_version"}
    assert all(sample.labels.values())


def test_two_operators_do_not_share_their_metrics(metrics):
    other = Metrics(CollectorRegistry())
    metrics.binding_answered("bound")

    assert value(metrics, "lockstep_binds_total", result="bound") == 1
    assert value(other, "lockstep_binds_total", result="bound") == 0


@pytest.mark.parametrize("code", ["401", "403"])
def test_refusals_are_counted_from_zero_once_a_verb_of_a_resource_is_in_use(metrics, code):
    metrics.api.request_answered("POST", "pods", 201, 0.02)

    assert value(metrics, "lockstep_api_requests_total", verb="POST", resource="pods", code=code) == 0
    assert value(metrics, "lockstep_api_requests_total", verb="GET", resource="pods", code=code) is None


def test_requests_are_counted_by_code(metrics):
    for code in (200, 200, 409):
        metrics.api.request_answered("POST", "pods", code, 0.02)

    assert value(metrics, "lockstep_api_requests_total", verb="POST", resource="pods", code="200") == 2
    assert value(metrics, "lockstep_api_requests_total", verb="POST", resource="pods", code="409") == 1
    assert value(metrics, "lockstep_api_request_duration_seconds_sum", verb="POST", resource="pods") == pytest.approx(
        0.06
    )


def test_reasons_are_unique_names_in_pascal_case():
    reasons = [*Reason, *PlanReason]

    assert len({str(reason) for reason in reasons}) == len(reasons)
    assert all(re.fullmatch(r"([A-Z][a-z]+)+", reason) for reason in reasons)
    assert all(reason.value == "".join(word.capitalize() for word in reason.name.split("_")) for reason in reasons)


def true(kind):
    return ConditionFact(kind, "True", "Because", "", 1, 0.0)


def test_gauges_follow_from_belief(metrics):
    state = State(lambda: None)
    state.bids.apply(bid_fact())
    state.apply_gang(gang_fact("young", created=90.0))
    state.apply_gang(gang_fact("old", created=40.0))
    for name, status in (
        ("reserved", GangStatus()),
        ("placed", GangStatus(conditions=(true("Placed"),))),
    ):
        state.apply_gang(gang_fact(name, status=status))
        state.assumptions.hold(reservation(name))
    state.apply_gang(gang_fact("suspended", created=20.0, policies=Policies(is_suspended=True)))
    state.apply_gang(gang_fact("done", status=GangStatus(conditions=(true("Complete"),))))
    state.apply_pod(member_fact("placed", rank=0, node="n1"))
    deque(refreshing(metrics, state, 100.0, ()))

    assert {name: value(metrics, "lockstep_gangs", state=name) for name in GANG_STATES} == {
        "refused": 0,
        "suspended": 1,
        "pending": 2,
        "reserved": 1,
        "placed": 1,
        "complete": 1,
    }
    assert value(metrics, "lockstep_oldest_pending_gang_seconds") == 60
    assert value(metrics, "lockstep_assumed_pods") == 3


def test_gang_that_others_keep_from_being_planned_is_pending_and_one_with_a_wrong_spec_refused(metrics):
    state = State(lambda: None)
    state.apply_gang(gang_fact("named", created=40.0, spec=gang_spec(priority_class="missing")))
    for name, deleting in (("wrong", False), ("deleted", True)):
        gang = gang_fact(name, created=20.0, deleting=deleting)
        state.apply_gang(gang.refused(Refusal(Reason.INVALID_SPEC, "wrong.")))
    deque(refreshing(metrics, state, 100.0, ()))

    assert value(metrics, "lockstep_gangs", state="pending") == 1
    assert value(metrics, "lockstep_gangs", state="refused") == 2
    assert value(metrics, "lockstep_oldest_pending_gang_seconds") == 60


def test_gang_that_was_suspended_waits_from_its_resumption_on(metrics):
    state = State(lambda: None)
    resumed = ConditionFact("Suspended", "False", "GangResumed", "", 1, 90.0)
    state.apply_gang(gang_fact("g", created=10.0, status=GangStatus(conditions=(resumed,))))
    deque(refreshing(metrics, state, 100.0, ()))

    assert value(metrics, "lockstep_oldest_pending_gang_seconds") == 10


@pytest.mark.parametrize(("since", "want"), [(None, 0), (90.0, 10)], ids=["no pod waits", "a pod waits for others"])
def test_gang_that_awaits_pods_is_as_old_as_the_wait_of_its_pods(metrics, since, want):
    """All pods of a Gang may have ended long ago, while its finished Job still exists."""
    state = State(lambda: None)
    spec = replace(gang_spec(), awaits_pods="0 of 2 pods wait for nodes.", awaits_since=since)
    state.apply_gang(gang_fact("g", created=40.0, spec=spec))
    deque(refreshing(metrics, state, 100.0, ()))

    assert value(metrics, "lockstep_oldest_pending_gang_seconds") == want


@pytest.mark.parametrize(
    ("active_since", "since", "want"),
    [(50.0, None, "complete"), (50.0, 90.0, "pending"), (None, None, "pending")],
    ids=["its pods have ended", "some pods wait again", "it has never run"],
)
def test_gang_whose_pods_have_ended_is_complete_although_it_may_get_others(metrics, active_since, since, want):
    state = State(lambda: None)
    spec = replace(gang_spec(), awaits_pods="0 of 2 pods wait for nodes.", awaits_since=since)
    state.apply_gang(gang_fact("g", spec=spec, status=GangStatus(active_since=active_since)))
    deque(refreshing(metrics, state, 100.0, ()))

    counts = {name: value(metrics, "lockstep_gangs", state=name) for name in GANG_STATES}
    assert counts == {**dict.fromkeys(GANG_STATES, 0), want: 1}


def test_gauges_fall_back_to_zero(metrics):
    state = State(lambda: None)
    gang = gang_fact("g", created=40.0)
    state.apply_gang(gang)
    deque(refreshing(metrics, state, 100.0, ()))
    state.remove_gang(gang.key, gang.uid)
    deque(refreshing(metrics, state, 100.0, ()))

    assert value(metrics, "lockstep_gangs", state="pending") == 0
    assert value(metrics, "lockstep_oldest_pending_gang_seconds") == 0


@pytest.mark.parametrize("steps", range(1, 5))
def test_belief_may_change_while_gauges_are_refreshed(metrics, steps):
    state = State(lambda: None)
    for name in ("n1", "n2"):
        state.nodes.apply(node_fact(name))
    state.apply_gang(gang_fact("held"))
    state.assumptions.hold(reservation("held", members=(("n1", 2),)))
    going = gang_fact("going", created=40.0)
    state.apply_gang(going)
    refreshed = refreshing(metrics, state, 100.0, ())

    deque(islice(refreshed, steps))
    state.remove_gang(going.key, going.uid)
    state.nodes.remove("n2")
    state.nodes.apply(node_fact("n3"))
    state.apply_gang(gang_fact("came", created=10.0, status=GangStatus(first_planned_start=20.0)))
    deque(refreshed)

    assert value(metrics, "lockstep_gangs", state="pending") == 1
    assert value(metrics, "lockstep_nodes", state="in_use") == 1
