"""What a GangJob's spec says about failures, its end and its suspension."""

import pytest

from builders.served import gang
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.gangjob.policies import parse_policies
from lockstep.facts.gang.policies import Action, ExitCodes, FailurePolicy, Policies, Rule

CODES = {"operator": "NotIn", "values": [42, 43], "containerName": "main"}


def test_spec_that_says_nothing_has_the_defaults():
    assert parse_policies({}) == Policies(failure=FailurePolicy(max_restarts=0, backoff_seconds=10, rules=()))


def test_life_is_read():
    spec = {
        "suspend": True,
        "activeDeadlineSeconds": 2**31 - 1,
        "ttlSecondsAfterFinished": 0,
        "successPolicy": {"role": "launcher"},
    }

    found = parse_policies(spec)

    assert (found.is_suspended, found.success_role) == (True, "launcher")
    assert (found.active_deadline_seconds, found.ttl_seconds) == (2**31 - 1, 0)


def test_failure_policy_is_read():
    rules = [
        {"action": "FailGang", "onExitCodes": CODES, "roles": ["workers"]},
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}, {"type": "Sick", "status": "False"}]},
    ]

    found = parse_policies(
        {"failurePolicy": {"maxRestarts": 3, "backoff": "1m30s", "keepMembers": "2h", "rules": rules}}
    ).failure

    assert (found.max_restarts, found.backoff_seconds, found.keep_seconds) == (3, 90, 7200)
    assert found.rules == (
        Rule(
            action=Action.FAIL_GANG,
            exit_codes=ExitCodes("main", frozenset({42, 43}), is_inverted=True),
            roles=frozenset({"workers"}),
        ),
        Rule(action=Action.IGNORE, pod_conditions=frozenset({("DisruptionTarget", "True"), ("Sick", "False")})),
    )


@pytest.mark.parametrize("pod_spec", [None, {"nodeName": "n1"}], ids=["obeyed", "refused"])
def test_policies_count_whether_the_rest_can_be_obeyed_or_not(pod_spec):
    manifest = gang("g", spec={"suspend": True, "ttlSecondsAfterFinished": 7}, pod_spec=pod_spec)

    assert parse_gang(manifest, None).policies == Policies(is_suspended=True, ttl_seconds=7)
