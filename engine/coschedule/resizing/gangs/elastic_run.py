"""A gang that runs and whose work is known, so that its sizes are compared by time."""

from dataclasses import dataclass

from coschedule.model.numbers import FloatArray
from coschedule.model.run_times import SerialWork, Work
from coschedule.resizing.gangs.dealt_pieces import DealtPieces
from coschedule.resizing.gangs.sized_run import SizedRun
from coschedule.resizing.worth import SharedWork

LEAST_RESTARTS = 30
"""A gang that would end within this number of restart times keeps its size; ``least_rest`` has the exceptions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ElasticRun(SizedRun):
    """A gang that runs and whose work is known: ``left`` is the part of ``work`` that is not done, above 0, at most 1.

    If members get pieces while they run, at least one is left: ``pieces`` is the number that is left, and ``work`` is a
    ``SerialWork``. Otherwise members have equal parts, and ``pieces`` is None. Some waiting gangs take no part in the
    choice of sizes. If this gang grows, it must not delay those of at least its own ``priority`` (``resize``).
    Raises ValueError for invalid numbers.
    """

    created: float
    work: Work
    left: float
    pieces: int | None = None
    priority: int = 0

    def __post_init__(self) -> None:
        SizedRun.__post_init__(self)
        if not 0 < self.left <= 1 or self.pieces == 0:
            raise ValueError(f"gang {self.key} must have a part of its work left")
        if self.pieces is not None and not isinstance(self.work, SerialWork):
            raise ValueError(f"gang {self.key} must know how long a piece takes")

    def pace_of(self, slowdowns: FloatArray) -> float:
        """Return the gang's slow-down with one member at each of ``slowdowns``: the largest, or the pace of pieces."""
        if self.pieces is not None and isinstance(self.work, SerialWork):
            return DealtPieces(self.pieces, self.work).pace(slowdowns)
        return SizedRun.pace_of(self, slowdowns)

    @property
    def fewest_members(self) -> int:
        """The fewest members to which the gang may shrink. If a size is asked of it, it shrinks to no other size."""
        if self.asked is None:
            return self.shared.least(self.sizes)
        return min(self.asked, self.size) if self.is_due else self.size

    @property
    def least_rest(self) -> float:
        """The gang may change its size for any reason if it runs for at least this many seconds more.

        Otherwise the gang changes its size only if a gang must start, or if a size is asked of it.
        """
        return LEAST_RESTARTS * self.terms.restart_time

    def wants(self, end: float) -> bool:
        """Whether a change after which the gang ends at ``end`` is wanted.

        It is wanted if another size is asked of the gang, or if the gang meets its deadline only with the change.
        """
        return self.is_due or (self.deadline is not None and end <= self.deadline < self.end)

    @property
    def shared(self) -> SharedWork:
        """The gang's work, and the number of its fixed members that do a part of the work."""
        return SharedWork(self.work, self.fixed_working)
