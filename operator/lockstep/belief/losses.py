"""Records losses of members in the cache: all callers record them here."""

from collections.abc import Iterable

from lockstep.belief.nodes.suitable_nodes import Suiting
from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.failure import LostOn


def record_lost(state: State, gang: GangFact, attempt: int, lost_on: Iterable[LostOn], now: float) -> list[str]:
    """Record that members of an attempt were lost. Returns the nodes that the gang avoids for a while from now on.

    Repeated calls for the same attempt count as one loss on each node.
    """
    losses = tuple(lost_on)
    if not losses:
        return []
    state.rejections.record(gang, _unexplained(state, gang, losses), _all(state), now)
    return state.failed_nodes.record_lost(gang.uid, attempt, losses, now)


def resume_rejection(state: State, gang: GangFact, now: float) -> None:
    """Restore the rejections by kubelets that the gang's status lists."""
    state.rejections.resume(gang, _all(state), now)


def _unexplained(state: State, gang: GangFact, losses: Iterable[LostOn]) -> list[LostOn]:
    """Returns the rejections by nodes that still suit the gang.

    A changed label or taint explains the other rejections.
    """
    rejecting = [one for one in losses if one.rejected_for]
    there = (state.nodes[one.node] for one in rejecting if one.node in state.nodes)
    suiting = Suiting(there, state.pool).names(gang) if rejecting else frozenset()
    return [one for one in rejecting if one.node in suiting]


def _all(state: State) -> Suiting:
    return Suiting(state.nodes.values(), state.pool)
