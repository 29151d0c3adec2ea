"""Replicas that take the first N runs, by the policies FNI-SA, FNI-DA and FNI-DAC [C 7.4.4].

Each replica takes the next run as soon as its own run has ended, until all runs have begun. At each end, nodes are
divided anew. A change of size or nodes takes no time, as the thesis measured less than half a second for a change.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from lockstep.simulation.sweeps.seats import ReplicaSeat, seats
from lockstep.simulation.sweeps.sweep import RunOfSweep, SimulatedSweep

# A run with less than this part left has ended: sums of floats are not exact.
_ENDED = 1e-9


class ReplicaPolicy(StrEnum):
    """Where replicas run.

    With static assignment, each replica stays in its own cluster. With dynamic assignment, all replicas share all
    clusters, and choose in the order of their indices. In a coalition, they choose in the order in which their runs
    began.
    """

    STATIC = "fni-sa"
    DYNAMIC = "fni-da"
    COALITION = "fni-dac"


@dataclass(slots=True)
class _Replica:
    """Replica ``index`` does run ``number``; ``left`` is the rest of its work, in units of the mean run."""

    index: int
    number: int
    start: float
    left: float
    rate: float = 0.0


def replicated(sweep: SimulatedSweep, policy: ReplicaPolicy) -> list[RunOfSweep]:
    """Return how each run went, in the order of their ends."""
    now, ended, waiting = 0.0, list[RunOfSweep](), list(enumerate(sweep.ratios))
    busy: list[_Replica] = []
    idle = list(range(sweep.replicas))
    while busy or waiting:
        while idle and waiting:
            busy.append(_Replica(idle.pop(0), waiting[0][0], now, waiting.pop(0)[1]))
        _take_seats(busy, sweep, policy)
        step = min(one.left / one.rate for one in busy if one.rate)
        now += step
        for one in busy:
            one.left -= step * one.rate
        done = [one for one in busy if one.left < _ENDED]
        ended += [RunOfSweep(one.number, one.index, one.start, now) for one in done]
        idle = sorted([*idle, *(one.index for one in done)])
        busy = [one for one in busy if one.left >= _ENDED]
    return ended


def _take_seats(busy: Sequence[_Replica], sweep: SimulatedSweep, policy: ReplicaPolicy) -> None:
    for one in busy:
        one.rate = 0.0
    match policy:
        case ReplicaPolicy.STATIC:
            for home, cluster in enumerate(sweep.clusters):
                local = [one for one in _by_index(busy) if one.index % len(sweep.clusters) == home]
                is_alien = sweep.alien and not home
                _seat(local, seats(len(local) + is_alien, [cluster], sweep.times), is_alien=is_alien)
        case ReplicaPolicy.DYNAMIC | ReplicaPolicy.COALITION:
            order = _by_index(busy) if policy is ReplicaPolicy.DYNAMIC else sorted(busy, key=lambda one: one.number)
            divided = seats(len(order) + sweep.alien, sweep.clusters_of_speeds, sweep.times)
            _seat(order, divided, is_alien=sweep.alien)
        case _:
            assert_never(policy)


def _by_index(replicas: Sequence[_Replica]) -> list[_Replica]:
    return sorted(replicas, key=lambda one: one.index)


def _seat(replicas: Sequence[_Replica], divided: Sequence[ReplicaSeat], *, is_alien: bool) -> None:
    """Give each replica the next seat; an alien program was there before, so it has the first."""
    for one, seat in zip(replicas, divided[is_alien:], strict=False):
        one.rate = seat.rate
