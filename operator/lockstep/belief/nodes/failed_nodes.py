"""Nodes where attempts of a gang have failed recently. The gang avoids these nodes for a while, and tries others."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import NamedTuple, TypeVar, assert_never

from lockstep.belief.nodes.node_index import Names
from lockstep.facts.pods.failure import LostOn
from lockstep.facts.pods.pod_outcome import PodOutcome

AVOID_SECONDS = 300.0

_Value = TypeVar("_Value")


class NodeFailure(StrEnum):
    """What failed on a node, as a clause after "nodes"."""

    VOLUMES = "where its volumes could not be created recently"
    TURNED_AWAY = "whose kubelets have rejected its members repeatedly"
    DELETED = "from which its members were deleted repeatedly"
    NOT_JOINED = "where new members could not join it recently"

    @property
    def is_loss(self) -> bool:
        """Whether members that were bound to such nodes were lost, or never ran."""
        match self:
            case NodeFailure.TURNED_AWAY | NodeFailure.DELETED | NodeFailure.NOT_JOINED:
                return True
            case NodeFailure.VOLUMES:
                return False
            case _:
                assert_never(self)


class _Where(NamedTuple):
    """A kind of failure on a node."""

    node: str
    failure: NodeFailure

    @property
    def is_of_a_join(self) -> bool:
        """Whether a new member of a running gang failed there."""
        return self.failure is NodeFailure.NOT_JOINED


class _Once(NamedTuple):
    """A first failure: its attempt, and the time until which it counts."""

    attempt: int
    until: float


class FailedNodes:
    """Failed nodes by the UID of the gang, for a limited time. ``changed`` is called when some of them are forgotten.

    A gang has entries only for nodes that a plan gave it.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._until: dict[str, dict[_Where, float]] = {}
        # The first failure of a kind, which does not count against the node yet.
        self._once: dict[str, dict[_Where, _Once]] = {}

    def record_without_volumes(self, gang_uid: str, nodes: Iterable[str], now: float) -> None:
        """Record that volumes of the gang could not be made for these nodes."""
        self._avoid(gang_uid, (_Where(node, NodeFailure.VOLUMES) for node in nodes), now + AVOID_SECONDS)

    def record_not_joined(self, gang_uid: str, nodes: Iterable[str], grows_at: float) -> None:
        """Record that new members of a gang were lost on these nodes, or did not run there.

        The gang grows again at ``grows_at`` at the earliest, and avoids the nodes then.
        """
        self._avoid(gang_uid, (_Where(node, NodeFailure.NOT_JOINED) for node in nodes), grows_at + AVOID_SECONDS)

    def record_lost(self, gang_uid: str, attempt: int, lost_on: Iterable[LostOn], now: float) -> list[str]:
        """Record that members of an attempt were lost on these nodes. Returns the nodes that are avoided from now on.

        One loss may be a race or an action of a person: if another pod took the room, the next plan knows that pod. A
        loss in a second attempt within ``AVOID_SECONDS`` has a cause that the API server does not show. Repeated calls
        for one attempt count as one loss.
        """
        once = self._once.setdefault(gang_uid, {})
        there = {_Where(one.node, _failure_of(one)) for one in lost_on}
        again = {where for where in there if where in once and _is_another(once[where], attempt, now)}
        once.update({where: _Once(attempt, now + AVOID_SECONDS) for where in there})
        self._avoid(gang_uid, again, now + AVOID_SECONDS)
        return sorted({where.node for where in again})

    def of(self, gang_uid: str, failure: NodeFailure) -> Names:
        """The nodes that the gang avoids for that kind of failure."""
        return frozenset(where.node for where in self._until.get(gang_uid, ()) if where.failure is failure)

    def forget(self, gang_uid: str) -> None:
        """Forget a gang that is gone."""
        self._until.pop(gang_uid, None)
        self._once.pop(gang_uid, None)

    def expire(self, now: float) -> None:
        """Forget the failures that do not count any more at ``now``, or that are from before the clock was set back.

        A gang may rest for any time before it grows again. So failed joins count until the recorded time, however late.
        """
        latest = now + 2 * AVOID_SECONDS
        self._once = _left(self._once, lambda _, once: now < once.until <= latest)
        left = _left(self._until, lambda where, until: now < until and (where.is_of_a_join or until <= latest))
        if left != self._until:
            self._until = left
            self._changed()

    def next_end(self) -> float:
        """The earliest time at which a gang stops avoiding a node; infinity if no gang avoids a node."""
        return min((end for ends in self._until.values() for end in ends.values()), default=float("inf"))

    def _avoid(self, gang_uid: str, places: Iterable[_Where], until: float) -> None:
        ends = dict.fromkeys(places, until)
        if ends:
            self._until.setdefault(gang_uid, {}).update(ends)


def _failure_of(loss: LostOn) -> NodeFailure:
    match loss.outcome:
        case PodOutcome.DELETED:
            return NodeFailure.DELETED
        case PodOutcome.REJECTED | PodOutcome.DISRUPTED:
            return NodeFailure.TURNED_AWAY
        case PodOutcome.GOING | PodOutcome.SUCCEEDED | PodOutcome.FAILED:
            raise ValueError(f"a member that is {loss.outcome} is not lost")
        case _:
            assert_never(loss.outcome)


def _is_another(once: _Once, attempt: int, now: float) -> bool:
    return once.until > now and once.attempt != attempt


def _left(
    by_gang: dict[str, dict[_Where, _Value]], counts: Callable[[_Where, _Value], bool]
) -> dict[str, dict[_Where, _Value]]:
    left = {uid: {where: one for where, one in places.items() if counts(where, one)} for uid, places in by_gang.items()}
    return {uid: places for uid, places in left.items() if places}
