"""The sentence that answers each thing that a GangJob may not say of failures, its end and its life."""

import pytest

NAMELESS = "spec.failurePolicy.rules: Invalid value: failurePolicy.rules must be limited to roles that spec.roles has."
BACKOFF = "backoff must be a Go duration from 1s to 10m, such as 90s or 1h30m."
BOTH = "spec.failurePolicy.rules[0]: Invalid value: a rule must have exactly one of onExitCodes and onPodConditions."
CODES = {"operator": "In", "values": [42]}
CONTAINERS = {"spec": {"containers": [{"name": "member", "image": "registry.k8s.io/pause:3.10"}]}}
NOT_CHECKED = (
    ", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid;"
    " correct the existing errors to complete validation]"
)


def spec(**fields):
    return {"spec": fields}


def policy(**fields):
    return spec(failurePolicy=fields)


def rule(**fields):
    return policy(rules=[{"action": "FailGang", **fields}])


def with_roles(*names, **fields):
    listed = [{"name": name, "size": {"min": 1, "max": 1}, "template": CONTAINERS} for name in names]
    return spec(size=None, template=None, roles=listed, **fields)


@pytest.mark.parametrize(
    ("patch", "want"),
    [
        pytest.param(
            policy(maxRestarts=-1),
            "spec.failurePolicy.maxRestarts: Invalid value: -1: spec.failurePolicy.maxRestarts in body should be"
            " greater than or equal to 0",
            id="restarts below 0",
        ),
        pytest.param(
            policy(backoff="100ms"),
            f'spec.failurePolicy.backoff: Invalid value: "100ms": {BACKOFF}',
            id="hardly a pause",
        ),
        pytest.param(
            policy(backoff="11m"),
            f'spec.failurePolicy.backoff: Invalid value: "11m": {BACKOFF}',
            id="a pause beyond the longest",
        ),
        pytest.param(
            policy(keepMembers="8761h"),
            'spec.failurePolicy.keepMembers: Invalid value: "8761h": keepMembers must be a Go duration from 0s to'
            " 8760h, such as 90s or 1h30m.",
            id="members that are kept for more than a year",
        ),
        pytest.param(rule(), BOTH, id="a rule about nothing"),
        pytest.param(
            rule(onExitCodes=CODES, onPodConditions=[{"type": "DisruptionTarget"}]), BOTH, id="a rule about two things"
        ),
        pytest.param(
            rule(onExitCodes={"operator": "In", "values": [0, 1]}),
            "spec.failurePolicy.rules[0].onExitCodes.values: Invalid value: values must not have 0 with the operator"
            " In, because a container that exits with 0 has not failed.",
            id="a success among failures",
        ),
        pytest.param(rule(onExitCodes=CODES, roles=["launcher"]), NAMELESS, id="a role in a gang without roles"),
        pytest.param(
            with_roles(
                "launcher", failurePolicy={"rules": [{"action": "Ignore", "onExitCodes": CODES, "roles": ["l"]}]}
            ),
            NAMELESS,
            id="a role that is not there",
        ),
        pytest.param(
            spec(successPolicy={"role": "launcher"}),
            "spec.successPolicy: Invalid value: successPolicy.role must name one of the roles.",
            id="success by a role in a gang without roles",
        ),
        pytest.param(
            with_roles("launcher", "workers", successPolicy={"role": "worker"}),
            "spec.successPolicy: Invalid value: successPolicy.role must name one of the roles.",
            id="success by a role that is not there",
        ),
        pytest.param(
            spec(activeDeadlineSeconds=0),
            "spec.activeDeadlineSeconds: Invalid value: 0: spec.activeDeadlineSeconds in body should be greater than or"
            " equal to 1",
            id="no time at all",
        ),
        pytest.param(
            spec(ttlSecondsAfterFinished=-1),
            "spec.ttlSecondsAfterFinished: Invalid value: -1: spec.ttlSecondsAfterFinished in body should be greater"
            " than or equal to 0",
            id="deleted before its end",
        ),
    ],
)
def test_gangjob_refuses(answer_to_gang, patch, want):
    assert answer_to_gang(patch).removeprefix("[").removesuffix(NOT_CHECKED) == want


@pytest.mark.parametrize(
    ("patch", "want"),
    [
        pytest.param(
            policy(rules=[{"action": "Retry", "onExitCodes": CODES}]),
            'spec.failurePolicy.rules[0].action: Unsupported value: "Retry": supported values: "FailGang",'
            ' "RestartGang", "Ignore"',
            id="an unknown action",
        ),
        pytest.param(
            rule(onExitCodes={"operator": "Between", "values": [1]}),
            'spec.failurePolicy.rules[0].onExitCodes.operator: Unsupported value: "Between": supported values: "In",'
            ' "NotIn"',
            id="an unknown operator",
        ),
        pytest.param(
            rule(onExitCodes={"operator": "In", "values": [1, 1]}),
            "spec.failurePolicy.rules[0].onExitCodes.values[1]: Duplicate value: 1",
            id="an exit code twice",
        ),
    ],
)
def test_gangjob_refuses_an_unknown_word(answer_to_gang, patch, want):
    assert want in answer_to_gang(patch)


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param(policy(), id="a policy that says nothing"),
        pytest.param(
            rule(onExitCodes={"operator": "NotIn", "values": [0, 42], "containerName": "main"}), id="exit codes"
        ),
        pytest.param(
            rule(onPodConditions=[{"type": "DisruptionTarget"}, {"type": "a.b/C", "status": "False"}]), id="conditions"
        ),
        pytest.param(
            with_roles(
                "launcher",
                "workers",
                successPolicy={"role": "launcher"},
                failurePolicy={"rules": [{"action": "RestartGang", "onExitCodes": CODES, "roles": ["workers"]}]},
            ),
            id="roles",
        ),
        pytest.param(spec(suspend=True, activeDeadlineSeconds=2**31 - 1, ttlSecondsAfterFinished=0), id="a life"),
    ],
)
def test_gangjob_accepts(answer_to_gang, patch):
    assert answer_to_gang(patch) == ""
