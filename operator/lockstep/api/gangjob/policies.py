"""Parses the policies of a GangJob: for its start, its failures, its end and its suspension."""

from lockstep.api.gangjob.after import parse_after
from lockstep.api.manifest import Manifest
from lockstep.api.quantities import duration_seconds
from lockstep.facts.gang.policies import Action, ExitCodes, FailurePolicy, Policies, Rule


def parse_policies(spec: Manifest) -> Policies:
    """The policies in a spec. Absent fields have their defaults."""
    return Policies(
        failure=_failure_policy(spec.get("failurePolicy") or {}),
        success_role=(spec.get("successPolicy") or {}).get("role"),
        is_suspended=spec.get("suspend", False),
        active_deadline_seconds=spec.get("activeDeadlineSeconds"),
        ttl_seconds=spec.get("ttlSecondsAfterFinished"),
        after=parse_after(spec),
    )


def _failure_policy(policy: Manifest) -> FailurePolicy:
    default = FailurePolicy()
    return FailurePolicy(
        max_restarts=policy.get("maxRestarts", default.max_restarts),
        backoff_seconds=duration_seconds(policy["backoff"]) if "backoff" in policy else default.backoff_seconds,
        rules=tuple(_rule(rule) for rule in policy.get("rules") or ()),
        keep_seconds=duration_seconds(policy["keepMembers"]) if "keepMembers" in policy else None,
    )


def _rule(rule: Manifest) -> Rule:
    return Rule(
        action=Action(rule["action"]),
        exit_codes=_exit_codes(rule["onExitCodes"]) if "onExitCodes" in rule else None,
        pod_conditions=frozenset((one["type"], one.get("status", "True")) for one in rule.get("onPodConditions") or ()),
        roles=frozenset(rule.get("roles") or ()),
    )


def _exit_codes(codes: Manifest) -> ExitCodes:
    return ExitCodes(codes.get("containerName"), frozenset(codes["values"]), is_inverted=codes["operator"] == "NotIn")
