"""What is learned of nodes where members of a gang were lost: in one place for all that find it out."""

from collections.abc import Callable, Iterable

from lockstep.belief.state import State
from lockstep.belief.suiting import digest_of_suiting
from lockstep.facts.failure import LostOn
from lockstep.facts.gang import GangFact


def note_lost(state: State, gang: GangFact, attempt: int, lost_on: Iterable[LostOn], now: float) -> list[str]:
    """Members of an attempt were lost so. Returns the nodes that the gang is kept off for a while from now on.

    To say so of the same attempt again changes nothing.
    """
    losses = tuple(lost_on)
    if not losses:
        return []
    state.rejections.note(gang, losses, _digest(state, gang), now)
    return state.failed_nodes.note_lost(gang.uid, attempt, losses, now)


def resume_rejection(state: State, gang: GangFact, now: float) -> None:
    """Where the gang's status says that kubelets reject its members, go on from that."""
    state.rejections.resume(gang, _digest(state, gang), now)


def _digest(state: State, gang: GangFact) -> Callable[[], str]:
    return lambda: digest_of_suiting(state.nodes.values(), state.pool, gang)
