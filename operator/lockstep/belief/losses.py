"""What is learned of nodes where members of a gang were lost: in one place for all that find it out."""

from collections.abc import Iterable

from lockstep.belief.nodes.suitable_nodes import Suiting
from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.failure import LostOn


def note_lost(state: State, gang: GangFact, attempt: int, lost_on: Iterable[LostOn], now: float) -> list[str]:
    """Members of an attempt were lost so. Returns the nodes that the gang is kept off for a while from now on.

    To say so of the same attempt again changes nothing.
    """
    losses = tuple(lost_on)
    if not losses:
        return []
    state.rejections.note(gang, _unexplained(state, gang, losses), _all(state), now)
    return state.failed_nodes.note_lost(gang.uid, attempt, losses, now)


def resume_rejection(state: State, gang: GangFact, now: float) -> None:
    """Where the gang's status says that kubelets reject its members, go on from that."""
    state.rejections.resume(gang, _all(state), now)


def _unexplained(state: State, gang: GangFact, losses: Iterable[LostOn]) -> list[LostOn]:
    """The rejections by nodes that suit the gang: where a label or a taint has changed, the next plan knows why."""
    rejecting = [one for one in losses if one.rejected_for]
    there = (state.nodes[one.node] for one in rejecting if one.node in state.nodes)
    suiting = Suiting(there, state.pool).names(gang) if rejecting else frozenset()
    return [one for one in rejecting if one.node in suiting]


def _all(state: State) -> Suiting:
    return Suiting(state.nodes.values(), state.pool)
