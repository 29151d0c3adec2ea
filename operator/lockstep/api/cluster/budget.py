"""PodDisruptionBudgets as they come from the API server."""

from collections.abc import Mapping
from typing import Any

from lockstep.api.label_selectors import parse_selector
from lockstep.api.names import RANK_LABEL
from lockstep.facts.pods.budget import BudgetFact, BudgetKey
from lockstep.facts.pods.pod import LabelSelector

Manifest = Mapping[str, Any]


def parse_budget(manifest: Manifest) -> BudgetFact:
    """A budget; one that nobody has counted since it was changed allows nothing."""
    metadata, spec, status = manifest["metadata"], manifest.get("spec") or {}, manifest.get("status") or {}
    is_counted = status.get("observedGeneration", 0) >= metadata.get("generation", 0)
    return BudgetFact(
        key=_key(metadata),
        selector=_of_all_ranks(parse_selector(spec.get("selector"))),
        allowed=max(0, int(status.get("disruptionsAllowed", 0))) if is_counted else 0,
    )


def doubtful_budget(manifest: Manifest, _: Exception) -> BudgetFact:
    """A budget that can't be understood protects every pod of its namespace."""
    return BudgetFact(key=_key(manifest["metadata"]), selector=(), allowed=0)


def _of_all_ranks(selector: LabelSelector | None) -> LabelSelector | None:
    """A budget that means members of some ranks is taken to mean those of all: a role's are alike."""
    if selector is None:
        return None
    return tuple(one for one in selector if one.key != RANK_LABEL or one.operator == "DoesNotExist")


def _key(metadata: Manifest) -> BudgetKey:
    return BudgetKey(metadata["namespace"], metadata["name"])
