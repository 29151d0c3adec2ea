"""A member that was asked to end is lost, whatever its kubelet writes when it deletes the pod for good."""

from itertools import pairwise

import pytest

from builders.served import at, gang, owned_by, pod
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.pods.pod import parse_pod
from lockstep.belief.state import State
from lockstep.facts.pods.pod import PodKey
from lockstep.facts.pods.pod_outcome import PodOutcome

KEY = PodKey("default", "g-1-0")
GRACE = 20


def seen(*, asked=None, grace=GRACE, ended=None):
    """What a watch shows of the member: the request to delete it, and when its container ended well."""
    metadata = owned_by("g", rank=0)
    manifest = pod("g-1-0", node="n1", phase="Running" if ended is None else "Succeeded", **metadata)
    state = {"running": {"startedAt": at(0)}}
    if ended is not None:
        state = {"terminated": {"exitCode": 0, "startedAt": at(0), "finishedAt": at(ended)}}
    name = manifest["spec"]["containers"][0]["name"]
    manifest["status"]["containerStatuses"] = [{"name": name, "state": state}]
    if asked is not None:
        manifest["metadata"] |= {"deletionTimestamp": at(asked + grace), "deletionGracePeriodSeconds": grace}
    return parse_pod(manifest)


def outcome_after(*facts):
    """The outcome of the member after these events, and once its pod is gone."""
    state = State(lambda: None)
    status = {"attempt": 1, "members": [{"node": "n1", "count": 1}], "reservedAt": at(0), "conditions": []}
    fact = parse_gang(gang("g", size=1, status=status), None)
    state.apply_gang(fact)
    for one in facts:
        state.apply_pod(one)
    present = state.pods[KEY].outcome
    state.remove_pod(KEY, facts[-1].uid)
    assert state.departed(fact)[KEY].outcome_once_gone is present
    return present


RUNS, ASKED = seen(), seen(asked=100)
ENDED_AFTER, GONE_AFTER = seen(asked=100, ended=101), seen(asked=103, grace=0, ended=101)
ENDED_BEFORE, GONE_BEFORE = seen(asked=100, ended=99), seen(asked=103, grace=0, ended=99)


@pytest.mark.parametrize("missed", [(), (0,), (1,), (0, 1), (2,), (0, 2)])
def test_member_that_ended_after_it_was_asked_is_lost_whichever_events_are_missed(missed):
    events = [RUNS, ASKED, ENDED_AFTER, GONE_AFTER]

    assert outcome_after(*(one for index, one in enumerate(events) if index not in missed)) is PodOutcome.DELETED


@pytest.mark.parametrize("missed", [(), (0,), (1,), (0, 1), (0, 1, 2)])
def test_member_that_ended_before_it_was_asked_has_succeeded_whichever_events_are_missed(missed):
    events = [RUNS, ASKED, ENDED_BEFORE, GONE_BEFORE]

    assert outcome_after(*(one for index, one in enumerate(events) if index not in missed)) is PodOutcome.SUCCEEDED


def test_member_that_is_cleaned_up_long_after_it_ended_has_succeeded():
    assert outcome_after(RUNS, seen(ended=50), seen(asked=100, grace=0, ended=50)) is PodOutcome.SUCCEEDED


def test_no_event_makes_a_member_that_is_lost_a_success():
    for first, second in pairwise([ASKED, ENDED_AFTER, GONE_AFTER]):
        assert outcome_after(first, second) is PodOutcome.DELETED
