"""Pools: the roles of a gang that have pieces; each divides its own pieces among its own members [S 4.1].

All pools start together, and the gang ends with the pool that ends last.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.model.run_times import SerialWork, Work
from coschedule.queue.problem.gangs import Role


class PiecePool(NamedTuple):
    """The pieces of the role with the index ``role``.

    A unit is the time for a piece of weight 1. On an idle reference node, one piece of the pool takes ``weight`` units,
    and one member takes ``units`` for all of its pieces.
    """

    role: int
    pieces: int
    weight: float
    units: float

    def times(self, slowdowns: FloatArray) -> FloatArray:
        """Return the units that a piece takes on nodes with these slow-downs."""
        return slowdowns * self.weight


def pools_of(roles: Sequence[Role]) -> tuple[PiecePool, ...]:
    """List the roles that have pieces."""
    return tuple(
        PiecePool(index, role.pieces, float(role.piece_weight), role.units)
        for index, role in enumerate(roles)
        if role.pieces is not None
    )


def unit_seconds(pools: Sequence[PiecePool], work: Work | None) -> float:
    """Return the seconds of a unit, the time for a piece of weight 1; 1 without pieces or with an unknown run time.

    Without overhead, one member on an idle reference node would do the pieces of all roles, one after the other, in
    T(1).
    """
    return float(work.serial) / sum(pool.units for pool in pools) if pools and isinstance(work, SerialWork) else 1.0


def even_seconds(pools: Sequence[PiecePool], work: Work, needs: IntArray) -> FloatArray:
    """Return the run time of each mix m if pieces need not be whole, without overhead, in seconds: float[m].

    Mix m has ``needs[m, role]`` members of each role, all on idle reference nodes. There must be a pool.
    """
    units: FloatArray = np.max([pool.units / needs[:, pool.role] for pool in pools], axis=0)
    return units * unit_seconds(pools, work)


class EvenRun(NamedTuple):
    """A run whose work is divided evenly: ``seconds`` depend on the speed of nodes, ``overhead`` seconds do not."""

    seconds: float
    overhead: float


def even_run(roles: Sequence[Role], sizes: Sequence[int], work: Work) -> EvenRun:
    """Return the run of ``sizes[r]`` members of each role on idle reference nodes; pieces need not be whole.

    Some role must have a load (``Load.is_work``). The overhead of pieces does not depend on the speed of nodes.
    """
    working = sum(size for role, size in zip(roles, sizes, strict=True) if role.load.is_work)
    pools = pools_of(roles)
    if not pools or not isinstance(work, SerialWork):
        return EvenRun(float(work.float_times(working)[-1]), 0.0)
    seconds = even_seconds(pools, work, np.array([sizes]))
    return EvenRun(float(seconds[0]), float(work.float_overheads(working)[-1]))
