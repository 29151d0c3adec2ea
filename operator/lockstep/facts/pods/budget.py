"""PodDisruptionBudgets as facts."""

from typing import NamedTuple

from lockstep.facts.pods.pod import LabelSelector


class BudgetKey(NamedTuple):
    """A PodDisruptionBudget's place in the API."""

    namespace: str
    name: str


class BudgetFact(NamedTuple):
    """One PodDisruptionBudget: how many of the pods it selects may be disrupted now."""

    key: BudgetKey
    selector: LabelSelector | None
    allowed: int
