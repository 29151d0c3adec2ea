"""What a failure policy answers: which rule wins, what counts, and when restarts are used up."""

import pytest

from builders.facts import member_fact, reservation
from lockstep.act.requests.progress import progress
from lockstep.cycle.ends.failure_policy import answer
from lockstep.facts.gang.policies import LONGEST_BACKOFF_SECONDS, Action, ExitCodes, FailurePolicy, Rule
from lockstep.facts.pods.pod import PodEnd, PodPhase
from lockstep.facts.pods.pod_outcome import PodOutcome
from lockstep.facts.reasons import Reason

HELD = reservation("g", members=(("n1", 4),))
DISRUPTED = ("DisruptionTarget", "True")
FAIL, RESTART, IGNORE = Action.FAIL_GANG, Action.RESTART_GANG, Action.IGNORE


def failed(rank, *exits, conditions=(), **more):
    """A member whose containers failed with these (name, exit code)."""
    end = PodEnd(exits or (("main", 1),), frozenset(conditions))
    name, code = end.exits[0]
    because = f"container {name} exited with {code}"
    return member_fact("g", rank=rank, node="n1", phase=PodPhase.FAILED, because=because, end=end, **more)


def taken(rank, *conditions):
    """A member that the cluster takes away while it runs."""
    return member_fact(
        "g", rank=rank, node="n1", phase=PodPhase.RUNNING, deleting=True, end=PodEnd((), frozenset(conditions))
    )


def rejected(rank):
    return failed(rank, conditions=[DISRUPTED], outcome=PodOutcome.REJECTED)


def answered(*pods, restarts=0, roles=("", "", "", ""), **policy):
    rest = [
        member_fact("g", rank=rank, node="n1", phase=PodPhase.RUNNING)
        for rank in range(4)
        if rank not in {pod.member.rank for pod in pods}
    ]
    counts = progress(HELD, {pod.key: pod for pod in (*pods, *rest)}, {})
    held = reservation("g", members=[("n1", 1, None, role) for role in roles])
    return answer(FailurePolicy(**policy), counts, held, restarts=restarts)


def on_codes(action, *values, container=None, inverted=False, roles=()):
    return Rule(
        action=action, exit_codes=ExitCodes(container, frozenset(values), is_inverted=inverted), roles=frozenset(roles)
    )


def on_conditions(action, *conditions, roles=()):
    return Rule(action=action, pod_conditions=frozenset(conditions), roles=frozenset(roles))


def test_nothing_is_answered_where_no_member_failed():
    assert answered(rules=(on_codes(FAIL, 1),)) is None


def test_failure_fails_the_gang_where_no_restart_is_allowed():
    found = answered(failed(1, ("main", 3)))

    assert found == (FAIL, Reason.MEMBER_FAILED, "pod g-1-1 failed: container main exited with 3")


def test_failure_restarts_the_gang_as_long_as_that_is_allowed():
    found = answered(failed(1), max_restarts=3, restarts=2)

    assert (found.action, found.reason) == (RESTART, Reason.RESTARTING)
    assert found.why.endswith("; this is restart 3 of 3")


def test_failure_fails_the_gang_when_its_restarts_are_used_up():
    found = answered(failed(1), max_restarts=3, restarts=3)

    assert (found.action, found.reason) == (FAIL, Reason.REACHED_MAX_RESTARTS)
    assert found.why.endswith("; the gang has restarted 3 times, and failurePolicy.maxRestarts is 3")


@pytest.mark.parametrize(
    ("rule", "exits", "want"),
    [
        pytest.param(on_codes(FAIL, 42), (("main", 42),), True, id="the code is listed"),
        pytest.param(on_codes(FAIL, 42), (("main", 41),), False, id="another code is"),
        pytest.param(on_codes(FAIL, 42, inverted=True), (("main", 41),), True, id="the code is not excepted"),
        pytest.param(on_codes(FAIL, 42, inverted=True), (("main", 42),), False, id="the code is excepted"),
        pytest.param(on_codes(FAIL, 42), (("main", 1), ("side", 42)), True, id="a second container's counts too"),
        pytest.param(
            on_codes(FAIL, 42, container="main"), (("main", 1), ("side", 42)), False, id="but not where one is named"
        ),
        pytest.param(
            on_codes(FAIL, 42, container="side"), (("main", 1), ("side", 42)), True, id="the named one has it"
        ),
        pytest.param(
            on_codes(FAIL, 1, inverted=True, container="side"), (("main", 2),), False, id="the named one is well"
        ),
        pytest.param(on_codes(FAIL, -1), (("main", -1),), True, id="a negative code"),
    ],
)
def test_rule_matches_exit_codes(rule, exits, want):
    found = answered(failed(2, *exits), max_restarts=1, rules=(rule,))

    assert (found.action is FAIL) is want
    assert ("failurePolicy.rules[0] applies: FailGang" in found.why) is want


def test_first_rule_that_matches_anybody_wins():
    rules = (on_codes(RESTART, 7), on_codes(FAIL, 42), on_codes(IGNORE, 1))

    found = answered(failed(0, ("main", 1)), failed(3, ("main", 42)), max_restarts=1, rules=rules)

    assert found.action is FAIL
    assert found.why == "pod g-1-3 failed: container main exited with 42; failurePolicy.rules[1] applies: FailGang"


def test_ignored_failure_makes_the_gang_anew_though_no_restart_is_left():
    found = answered(failed(0), max_restarts=0, rules=(on_codes(IGNORE, 1),))

    assert (found.action, found.reason) == (IGNORE, Reason.RESTARTING)


def test_rule_that_restarts_is_limited_as_restarts_are():
    rules = (on_codes(RESTART, 1),)

    assert answered(failed(0), rules=rules).reason is Reason.MEMBER_FAILED
    assert answered(failed(0), max_restarts=1, restarts=1, rules=rules).reason is Reason.REACHED_MAX_RESTARTS


def test_rule_is_limited_to_its_roles():
    rules = (on_codes(FAIL, 1, roles=["launcher"]),)
    roles = ("launcher", "worker", "worker", "worker")

    assert answered(failed(0), max_restarts=1, rules=rules, roles=roles).action is FAIL
    assert answered(failed(1), max_restarts=1, rules=rules, roles=roles).action is RESTART


@pytest.mark.parametrize(
    "loss", [rejected(1), taken(1, DISRUPTED), taken(1)], ids=["turned away", "evicted", "deleted"]
)
def test_loss_by_the_cluster_is_not_answered(loss):
    assert answered(loss) is None
    assert answered(loss, rules=(on_codes(FAIL, 1), on_codes(FAIL, 5, inverted=True))) is None


def test_program_that_fails_while_the_cluster_takes_its_peers_is_not_answered():
    """It may have failed since they vanished: its exit code says nothing."""
    assert answered(failed(0, ("main", 42)), taken(1, DISRUPTED), rules=(on_codes(FAIL, 42),)) is None


@pytest.mark.parametrize("loss", [rejected(1), taken(1, DISRUPTED)], ids=["turned away", "evicted"])
@pytest.mark.parametrize("action", [FAIL, RESTART, IGNORE])
def test_rule_about_a_condition_answers_a_loss_by_the_cluster(loss, action):
    found = answered(loss, max_restarts=1, rules=(on_conditions(action, DISRUPTED),))

    assert found.action is action


def test_rule_about_a_condition_wants_its_status():
    rules = (on_conditions(FAIL, ("ConfigIssue", "True"), ("Sick", "False")),)

    assert answered(failed(0, conditions=[("ConfigIssue", "False")]), max_restarts=1, rules=rules).action is RESTART
    assert answered(failed(0, conditions=[("Sick", "False")]), max_restarts=1, rules=rules).action is FAIL


def test_pause_doubles_with_each_restart_up_to_ten_minutes():
    policy = FailurePolicy(backoff_seconds=10)

    assert [policy.pause_seconds(restarts) for restarts in range(8)] == [10, 20, 40, 80, 160, 320, 600, 600]
    assert policy.pause_seconds(2**31 - 1) == LONGEST_BACKOFF_SECONDS
