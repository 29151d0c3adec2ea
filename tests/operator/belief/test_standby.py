"""Belief of a process that stands by, and what it has when it leads."""

from dataclasses import replace

import pytest

from builders.facts import bid_fact, gang_fact, member_fact, node_fact
from builders.served import owned_by, pod
from coschedule import GangKey, Members
from lockstep.api.podgang.sizing.sized_kind import SIZED_KINDS
from lockstep.api.pods.pod import parse_pod
from lockstep.belief.state import State
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.source import Source
from lockstep.facts.gang.status import GangStatus

NAME = GangKey("default", "g")


@pytest.fixture
def state():
    state = State(lambda: None)
    state.stand_by()
    return state


def reserved(attempt, node="n1"):
    return GangStatus(attempt=attempt, members=(Members(node, 2),), start=50.0, reserved_at=51.0)


def committed(state, node):
    return int(state.ledger.committed(state.ledger.rows((node,)), state.ledger.columns(("cpu",)))[0, 0])


def test_reservation_follows_the_status(state):
    state.apply_gang(gang_fact("g", version="1"))
    state.apply_gang(gang_fact("g", version="2", status=reserved(1)))
    assert committed(state, "n1") == 2000

    state.apply_gang(gang_fact("g", version="3", status=GangStatus(attempt=1)))
    assert (state.reservations, committed(state, "n1")) == ({}, 0)

    state.apply_gang(gang_fact("g", version="4", status=reserved(2, "n2")))
    assert (state.reservations[NAME].attempt, committed(state, "n1"), committed(state, "n2")) == (2, 0, 2000)


def test_members_that_were_seen_count_whatever_the_status_says(state):
    state.apply_gang(gang_fact("g", version="1", status=reserved(1)))
    state.apply_pod(member_fact("g", attempt=1, rank=0, node="n1"))
    state.apply_gang(gang_fact("g", version="2", status=GangStatus(attempt=1)))

    assert committed(state, "n1") == 1000


def test_what_another_process_has_reserved_is_no_intrusion(state):
    state.apply_gang(gang_fact("g", version="1"))
    state.apply_gang(gang_fact("g", version="2", status=reserved(1)))
    state.lead()

    assert not state.assumptions.has_unowned(state.gangs[NAME])


def test_changes_are_not_kept(state):
    state.apply_gang(gang_fact("g"))
    state.remove_gang(NAME, state.gangs[NAME].uid)

    assert state.changes.gangs == frozenset()


def test_no_waiter_is_woken_before_this_process_leads():
    woken = []
    state = State(lambda: woken.append(1))
    state.stand_by()
    state.nodes.apply(node_fact())
    state.apply_gang(gang_fact("g"))
    assert woken == []

    state.lead()
    assert woken


def test_leader_reconciles_every_gang_and_those_that_only_have_pods(state):
    state.apply_gang(gang_fact("g"))
    state.apply_pod(parse_pod(pod("gone-1-0", node="n1", **owned_by("gone"))))
    state.lead()

    assert state.changes.gangs == {NAME, GangKey("default", "gone")}
    assert state.changes.is_plan_due


def test_leader_makes_gangs_for_jobs_that_wait_for_a_size(state):
    about = {"name": "heat", "namespace": "default", "uid": "u", "resourceVersion": "1"}
    job = {
        "metadata": {**about, "annotations": {"lockstep.dev/size": "2-4"}},
        "spec": {"suspend": True, "template": {"spec": {"schedulerName": "lockstep"}}},
    }
    [of_jobs] = (kind for kind in SIZED_KINDS if kind.source is Source.JOB)
    state.pod_gang_facts.apply_owner(of_jobs.parse(job))
    state.lead()

    assert state.changes.gangs == {pod_gang_key("default", "job.heat")}


def test_leader_answers_the_bids_that_want_an_answer(state):
    state.nodes.apply(node_fact("n3"))
    wrong = replace(bid_fact("n1"), problem="nonsense")
    state.bids.apply(wrong)
    state.bids.apply(replace(wrong, node="n2", reported=state.bids.wanted_condition("n1")))
    state.bids.apply(bid_fact("n3"))
    state.lead()

    assert state.changes.bids == {"n1"}
