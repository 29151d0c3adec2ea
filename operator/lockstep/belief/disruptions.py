"""What evicting gangs takes from PodDisruptionBudgets."""

from collections import Counter
from collections.abc import Iterable, Iterator

from lockstep.api.membership import member_labels
from lockstep.api.names import RANK_LABEL
from lockstep.belief.endings import is_ending
from lockstep.belief.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.budget import BudgetFact
from lockstep.facts.gang import GangFact
from lockstep.facts.pod import PodFact, PodPhase


def disruptions(state: State, gang: GangFact, reservation: Reservation) -> Counter[BudgetFact]:
    """How many members count against each budget: those that run, and that nobody deletes yet."""
    counts: Counter[BudgetFact] = Counter()
    if not state.budgets.concern(gang.key.namespace) or gang.spec is None:
        return counts
    labels = {role.name: member_labels(gang.key, role, reservation.attempt) for role in gang.spec.roles}
    for rank, role in _ranks_that_run(state, gang, reservation):
        counts.update(state.budgets.protecting(gang.key.namespace, {**labels[role], RANK_LABEL: str(rank)}))
    return counts


def still_allowed(state: State) -> "Allowed":
    """What budgets allow now, less what gangs that give way already are about to take."""
    taken: Counter[BudgetFact] = Counter()
    for key, reservation in state.reservations.items():
        gang = state.gangs.get(key)
        if gang is not None and is_ending(state, gang):
            taken += disruptions(state, gang, reservation)
    return Allowed(taken)


class Allowed:
    """How many pods of each budget may still be taken away."""

    def __init__(self, taken: Counter[BudgetFact]) -> None:
        self._taken = taken

    def of(self, budget: BudgetFact) -> int:
        """How many pods of that budget may be taken away; never below 0."""
        return max(0, budget.allowed - self._taken[budget])

    def all_of(self, counts: Iterable[Counter[BudgetFact]]) -> bool:
        """Whether all of these may be taken away together."""
        total: Counter[BudgetFact] = sum(counts, Counter())
        return all(count <= self.of(budget) for budget, count in total.items())


def _ranks_that_run(state: State, gang: GangFact, reservation: Reservation) -> Iterator[tuple[int, str]]:
    members = state.members(gang)
    for rank, (key, role) in enumerate(zip(reservation.pod_keys(), reservation.roles_by_rank(), strict=True)):
        if key in members and _counts(members[key]):
            yield rank, role


def _counts(pod: PodFact) -> bool:
    return bool(pod.node) and pod.phase is not PodPhase.PENDING and not pod.has_ended and not pod.is_deleting
