"""Parses PodDisruptionBudgets."""

from lockstep.api.label_selectors import parse_selector
from lockstep.api.manifest import Manifest
from lockstep.api.names import RANK_LABEL
from lockstep.facts.pods.budget import BudgetFact, BudgetKey
from lockstep.facts.pods.pod import LabelSelector


def parse_budget(manifest: Manifest) -> BudgetFact:
    """Parse a budget. If its status is older than its spec, it allows no disruption."""
    metadata, spec, status = manifest["metadata"], manifest.get("spec") or {}, manifest.get("status") or {}
    is_counted = status.get("observedGeneration", 0) >= metadata.get("generation", 0)
    return BudgetFact(
        key=_key(metadata),
        selector=_of_all_ranks(parse_selector(spec.get("selector"))),
        allowed=max(0, int(status.get("disruptionsAllowed", 0))) if is_counted else 0,
    )


def unreadable_budget(manifest: Manifest, _: Exception) -> BudgetFact:
    """A budget that can't be parsed protects every pod of its namespace."""
    return BudgetFact(key=_key(manifest["metadata"]), selector=(), allowed=0)


def _of_all_ranks(selector: LabelSelector | None) -> LabelSelector | None:
    """The selector without requirements on ranks. Only the requirement that a pod has no rank stays.

    So a budget for members of some ranks protects members of all ranks.
    """
    if selector is None:
        return None
    return tuple(one for one in selector if one.key != RANK_LABEL or one.operator == "DoesNotExist")


def _key(metadata: Manifest) -> BudgetKey:
    return BudgetKey(metadata["namespace"], metadata["name"])
