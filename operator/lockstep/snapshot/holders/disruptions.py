"""The amount by which evictions of gangs use up PodDisruptionBudgets."""

from collections import Counter
from collections.abc import Iterable

from coschedule import GangKey
from lockstep.api.names import RANK_LABEL
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.budget import BudgetFact
from lockstep.facts.pods.pod import Labels, PodFact, PodPhase
from lockstep.snapshot.holders.endings import is_ending

# At most this number of pairs of labels and budgets are compared, in about 10 ms.
_MOST_COMPARISONS = 10_000


def disruptions(
    state: State, gang: GangFact, reservation: Reservation, *, staying: Reservation | None = None
) -> Counter[BudgetFact]:
    """How many members count against each budget.

    Members that run and are not being deleted count, except members of ``staying``. Members that differ only by rank
    are checked together, since there may be as many budgets as members. If there are too many different labels, each
    member counts against every budget.
    """
    pods = state.pods_of(reservation)
    return disrupted_by(state, gang.key, (pod for pod in pods if staying is None or not _is_of(staying, pod)))


def disrupted_by(state: State, gang: GangKey, pods: Iterable[PodFact]) -> Counter[BudgetFact]:
    """How many of these pods of a gang count against each budget, by the rules of ``disruptions``."""
    counts: Counter[BudgetFact] = Counter()
    budgets = state.budgets.of(gang.namespace)
    if not budgets:
        return counts
    alike = Counter(_without_rank(pod.labels) for pod in pods if _counts(pod))
    if len(alike) * len(budgets) > _MOST_COMPARISONS:
        return Counter(dict.fromkeys(budgets, alike.total()))
    for labels, count in alike.items():
        for budget in state.budgets.protecting(gang.namespace, dict(labels)):
            counts[budget] += count
    return counts


def still_allowed(state: State) -> "Allowed":
    """The evictions that budgets allow now, less the pods of gangs that are being evicted."""
    taken: Counter[BudgetFact] = Counter()
    for key, reservation in state.reservations.items():
        gang = state.gangs.get(key)
        if gang is not None and is_ending(state, gang):
            taken += disruptions(state, gang, reservation)
    for key in state.pod_gangs.yielding.suspended:
        taken += disrupted_by(state, key, state.pod_gangs.group(key).going_pods())
    return Allowed(taken)


class Allowed:
    """The number of pods of each budget that may still be evicted."""

    def __init__(self, taken: Counter[BudgetFact]) -> None:
        self._taken = taken

    def of(self, budget: BudgetFact) -> int:
        """The number of pods of that budget that may be evicted; never below 0."""
        return max(0, budget.allowed - self._taken[budget])

    def all_of(self, counts: Iterable[Counter[BudgetFact]]) -> bool:
        """Whether all pods in ``counts`` may be evicted together."""
        total: Counter[BudgetFact] = sum(counts, Counter())
        return all(count <= self.of(budget) for budget, count in total.items())


def _is_of(reservation: Reservation, pod: PodFact) -> bool:
    return pod.member is not None and reservation.is_for(pod.member)


def _without_rank(labels: Labels) -> Labels:
    """The labels with an empty rank. A budget can select the existence of the rank label, but not certain ranks."""
    return tuple([(key, "") if key == RANK_LABEL else (key, value) for key, value in labels])


def _counts(pod: PodFact) -> bool:
    return bool(pod.node) and pod.phase is not PodPhase.PENDING and not pod.has_ended and not pod.is_deleting
