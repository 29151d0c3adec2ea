"""The gangs that give up places on nodes because they change their size. Other gangs start on these nodes."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from coschedule import GangKey, Members, Placement
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.start_estimate import is_same_time
from lockstep.snapshot.holders.endings import expected_end, gone_by
from lockstep.snapshot.holders.leaving import leaving_members


class Giving(NamedTuple):
    """A gang that gives up members on these nodes; these members have left by ``gone_by``."""

    gang: GangKey
    nodes: frozenset[str]
    gone_by: float

    def has_seats_of(self, placement: Placement) -> bool:
        """Whether any member of the placement is on one of the nodes."""
        return any(entry.node in self.nodes for entry in placement.members)

    def is_awaited_by(self, placement: Placement) -> bool:
        """Whether the placement waits until the members have left one of its nodes.

        It then starts when they have left, or at its promised start.
        """
        is_then = is_same_time(placement.start, self.gone_by) or is_same_time(placement.start, placement.promised)
        return is_then and self.has_seats_of(placement)


def changing_gangs(state: State, now: float) -> Iterator[Giving]:
    """The gangs that give up members: at a next size, or because members leave while others run."""
    yield from _with_next_size(state, now)
    yield from _with_leaving_members(state, now)


def _with_next_size(state: State, now: float) -> Iterator[Giving]:
    for following in state.counts.next_sizes:
        held = state.reservations.get(following.gang)
        end = None if held is None else expected_end(state, held, now)
        if held is not None and end is not None:
            left = _counts(held.members) - _counts(following.members)
            yield Giving(following.gang, frozenset(left), end)


def _with_leaving_members(state: State, now: float) -> Iterator[Giving]:
    for key, held in state.reservations.items():
        gang = state.gangs.get(key)
        if isinstance(gang, AcceptedGang) and gang.spec.keeps_members:
            pods = leaving_members(state, held)
            if pods:
                yield Giving(key, frozenset(pod.node for pod in pods), max(gone_by(pod, gang, now) for pod in pods))


def _counts(members: Iterable[Members]) -> Counter[str]:
    counts = Counter[str]()
    for entry in members:
        counts[entry.node] += entry.count
    return counts
