"""Decides whether a Job counts the eviction of a pod as a failure."""

from collections.abc import Iterable

from lockstep.api.manifest import Manifest
from lockstep.api.members.disruption import DISRUPTION_TARGET
from lockstep.api.podgang.section import Section

# The exit codes of a program that does not handle the signals that end an evicted pod.
_EXITS_OF_EVICTED = frozenset({128 + 15, 128 + 9})


def counts_evictions(job: Manifest) -> bool:
    """Whether a Job may count an evicted pod as failed. Raises ``FieldError`` for a field of the wrong type.

    The first rule that matches decides. A rule on exit codes counts as matching, unless its operator is ``In`` and it
    lists neither 137 nor 143: a program that does not handle signals exits with one of these codes when it is evicted.
    """
    for rule in Section(job).section("spec").section("podFailurePolicy").sections("rules"):
        if rule.text("action") == "Ignore":
            if _is_evicted(rule.sections("onPodConditions")):
                return False
        elif _may_match(rule):
            return True
    return True


def _may_match(rule: Section) -> bool:
    codes = rule.section("onExitCodes")
    listed = codes.fields.get("values") or ()
    is_harmless = codes.text("operator") == "In" and _EXITS_OF_EVICTED.isdisjoint(listed)
    return _is_evicted(rule.sections("onPodConditions")) or (rule.has("onExitCodes") and not is_harmless)


def _is_evicted(conditions: Iterable[Section]) -> bool:
    """Whether one of these patterns matches the condition that the Eviction API writes to a pod."""
    return any(one.text("type") == DISRUPTION_TARGET and (one.text("status") or "True") == "True" for one in conditions)
