"""What a gang's failure policy demands when members fail.

The first rule that matches any member applies. While the cluster removes members, exit codes are ignored, because
programs fail when their peers vanish. Then only rules about pod conditions count. If no rule matches then, the failure
policy does not apply.
"""

from collections.abc import Mapping
from typing import NamedTuple, assert_never

from lockstep.act.requests.progress import Loss, Progress
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.policies import Action, FailurePolicy, Rule
from lockstep.facts.reasons import Reason


class FailureAction(NamedTuple):
    """What to do and why. ``why`` is a clause for users, without a full stop."""

    action: Action
    reason: Reason
    why: str


def answer(policy: FailurePolicy, counts: Progress, present: Reservation, *, restarts: int) -> FailureAction | None:
    """The action for a gang that has restarted ``restarts`` times; None if its policy does not apply."""
    # A gang may have thousands of members, so their roles are listed only if one of them has failed.
    role_of = present.roles() if counts.losses else {}
    for number, rule in enumerate(policy.rules):
        matched = next((loss for loss in counts.losses if _matches(rule, loss, counts, role_of)), None)
        if matched is not None:
            why = f"{matched.why}; failurePolicy.rules[{number}] applies: {rule.action}"
            return _carried_out(rule.action, why, policy, restarts)
    failed = next((loss for loss in counts.losses if loss.is_own_failure), None)
    if failed is None or counts.disrupted is not None:
        return None
    return _carried_out(Action.RESTART_GANG, failed.why, policy, restarts)


def _matches(rule: Rule, loss: Loss, counts: Progress, role_of: Mapping[int, str]) -> bool:
    if loss.pod.end is None or (rule.roles and role_of[loss.rank] not in rule.roles):
        return False
    if rule.exit_codes is not None:
        codes = rule.exit_codes
        return counts.disrupted is None and any(codes.match(name, code) for name, code in loss.pod.end.exits)
    return not rule.pod_conditions.isdisjoint(loss.pod.end.conditions)


def _carried_out(action: Action, why: str, policy: FailurePolicy, restarts: int) -> FailureAction:
    match action:
        case Action.IGNORE:
            return FailureAction(action, Reason.RESTARTING, f"{why}, which does not count as a restart")
        case Action.FAIL_GANG:
            return FailureAction(action, Reason.MEMBER_FAILED, why)
        case Action.RESTART_GANG:
            return restarted(why, policy, restarts)
        case _:
            assert_never(action)


def restarted(why: str, policy: FailurePolicy, restarts: int) -> FailureAction:
    """The action that restarts the gang, or fails it if it has used up its restarts."""
    if policy.max_restarts == 0:
        return FailureAction(Action.FAIL_GANG, Reason.MEMBER_FAILED, why)
    if restarts >= policy.max_restarts:
        used_up = (
            f"{why}; the gang has restarted {restarts} times, and failurePolicy.maxRestarts is {policy.max_restarts}"
        )
        return FailureAction(Action.FAIL_GANG, Reason.REACHED_MAX_RESTARTS, used_up)
    return FailureAction(
        Action.RESTART_GANG, Reason.RESTARTING, f"{why}; this is restart {restarts + 1} of {policy.max_restarts}"
    )
