"""Converts a Job to a GangJob, in which all pods run at the same time."""

from lockstep.answers.making.fields import Fields
from lockstep.answers.making.template import RANK, template_of
from lockstep.api.manifest import NewManifest
from lockstep.report.text.sentences import n_members

_ACTIONS = {"FailJob": "FailGang", "Ignore": "Ignore", "Count": "RestartGang"}


def job_spec(spec: Fields) -> NewManifest:
    """The spec of a GangJob, made from a Job's spec."""
    size, mode = size_of(spec)
    is_indexed = mode == "Indexed"
    if is_indexed:
        spec.note(
            "completionMode",
            "JOB_COMPLETION_INDEX is the rank; host names and the annotation of the index are different.",
        )
    made = {
        "size": {"min": size, "max": size},
        **spec.carry("suspend", "activeDeadlineSeconds", "ttlSecondsAfterFinished"),
        **_failure_policy(spec),
        "template": template_of(spec, index=RANK if is_indexed else None),
    }
    leave_selector(spec)
    return made


def size_of(spec: Fields) -> tuple[int, str]:
    """The number of members for a Job's spec, and the Job's completion mode; '' if the Job states no mode."""
    size = spec.take_number("parallelism", otherwise=1) or 0
    completions = spec.take_number("completions", otherwise=None)
    mode = spec.take_text("completionMode")
    if completions is not None and completions != size:
        spec.note(
            "completions",
            f"the gang has {n_members(size)}, as parallelism says, and not {completions}: all members run at the same "
            "time, and only once.",
        )
    return size, mode


def leave_selector(spec: Fields) -> None:
    """Leave out the pod selector of a Job. There is a note only if a user has set the selector."""
    if spec.take("manualSelector"):
        spec.note("manualSelector", "not carried over, since Lockstep identifies members by its own labels.")
    spec.take("selector")


def _failure_policy(spec: Fields) -> NewManifest:
    restarts = spec.take_number("backoffLimit", otherwise=None)
    rules = _rules(spec)
    if restarts is None:
        spec.note("backoffLimit", "a Job retries 6 times by default, and a GangJob does not retry.")
    else:
        spec.note("backoffLimit", "became failurePolicy.maxRestarts: a failure restarts all members, not one.")
    policy = {
        **({} if restarts is None else {"maxRestarts": restarts}),
        **({"rules": rules} if rules else {}),
    }
    return {"failurePolicy": policy} if policy else {}


def _rules(spec: Fields) -> list[NewManifest]:
    policy = spec.take_fields("podFailurePolicy")
    made = []
    for number, entry in enumerate(policy.take_list("rules")):
        rule = policy.within(f"rules[{number}]", entry)
        action = rule.take_text("action")
        if action not in _ACTIONS:
            rule.note("action", f"the rule is not carried over, since a GangJob has no action like {action}.")
            rule.rest()
            continue
        made.append({"action": _ACTIONS[action], **_matches(rule)})
    return made


def _matches(rule: Fields) -> NewManifest:
    """The condition of a rule, which is in one of two fields. The other field is left out if it is empty."""
    return {name: what for name, what in rule.carry("onExitCodes", "onPodConditions").items() if what}
