"""Pools: the roles of a gang that have pieces; each divides its own pieces among its own members [S 4.1].

All pools start together, and the gang ends with the pool that ends last.
"""

from typing import NamedTuple

from coschedule.model.numbers import FloatArray
from coschedule.model.run_times import SerialWork
from coschedule.queue.problem.gangs import PendingGang


class PiecePool(NamedTuple):
    """The ``pieces`` of a role, which is given by index; one takes ``weight`` units on an idle reference node.

    One member takes ``units`` for all of them there.
    """

    role: int
    pieces: int
    weight: float
    units: float

    def times(self, slowdowns: FloatArray) -> FloatArray:
        """Return the units that a piece takes on nodes with these slow-downs."""
        return slowdowns * self.weight


def pools_of(gang: PendingGang) -> tuple[PiecePool, ...]:
    """List the roles of a gang that have pieces."""
    return tuple(
        PiecePool(index, role.pieces, float(role.piece_weight), role.units)
        for index, role in enumerate(gang.roles)
        if role.pieces is not None
    )


def unit_seconds(gang: PendingGang) -> float:
    """Return the seconds of a unit, which is a piece of weight 1; 1 without pieces and where the run time is unknown.

    One member would do the pieces of all roles in T(1) without its overhead, one after the other on an idle reference
    node.
    """
    units = sum(pool.units for pool in pools_of(gang))
    return float(gang.work.serial) / units if units and isinstance(gang.work, SerialWork) else 1.0
