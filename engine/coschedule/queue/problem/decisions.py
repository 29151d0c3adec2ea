"""The decisions of a plan: where and when each gang runs, or why it has no placement."""

from dataclasses import dataclass, field
from enum import StrEnum

from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.members import Members
from coschedule.queue.problem.refusals import Reason, Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """A placement that was not chosen, for comparison; ``Placement`` says which one it is, and explains the fields."""

    size: int
    start: float
    finish: float
    speedup: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """The risk that node owners come back during a run.

    ``probability`` is the probability that at least one node owner comes back. ``lost_seconds`` is the work that is
    lost on average, inf if the run time is unknown. ``node`` is the node whose owner is most likely to come back.
    ``of_node`` is the probability that this owner comes back.
    """

    probability: float
    lost_seconds: float
    node: str
    of_node: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """A gang of ``size`` members: ``members`` lists them by role, then by node. Ranks follow this list.

    Members of one role on one node share an entry if they have the same part of the work. Entries with more pieces come
    first.

    Times are absolute seconds. The gang starts now if ``start == now``. ``finish`` is inf if the run time is unknown.
    ``speedup`` is T(1) / (finish - requested), where T(1) is the time that one member alone would take. It is None if
    T(1) is unknown. ``member_price`` is the price at which the placement was chosen. ``deadline`` repeats the deadline
    of the gang; it does not count for equality. With a deadline, the placement has the fewest members that meet it.
    ``promised`` is the latest start of the gang, None without a promise; see ``Promises``.

    ``alternative`` is another placement for comparison, None if there is none. For a gang that starts now, it is the
    best later start with more members, or else the best other size. For a gang that starts later, it is the best start
    now. The best placement has the least value (``problem.price``).

    ``slowest`` is the slowest node of the members that have a load, or of all members if no role has a load. If there
    are several, it is the first by name. ``latest`` is a node that has room only from the start on, None if the gang
    starts now or waits for no node. If there are several, it is the fastest, then the first by name.

    ``risk`` is the risk that node owners come back during the run, None if no return is forecast. ``own_times`` is the
    run time with the gang's factors for kinds of nodes, divided by the run time without them.
    """

    gang: GangKey
    size: int
    start: float
    finish: float
    speedup: float | None
    members: tuple[Members, ...]
    slowest: str
    latest: str | None
    alternative: Alternative | None
    member_price: float = 0.0
    deadline: float | None = field(default=None, compare=False)
    promised: float | None = None
    risk: Risk | None = None
    own_times: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """The node hold of a gang, in node order: gangs behind it use these nodes only if they end by ``start``."""

    nodes: tuple[str, ...]
    start: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Unplaceable:
    """A gang without a placement, now or later; ``refusal`` says why, with numbers.

    ``hold`` is the node hold of the gang until it fits; with a node hold, ``reason`` is ``HOLDS_NODES``. ``fits_empty``
    says whether the gang would fit in time, within the windows of the nodes, if no pods ran on them. It is None if that
    is unknown.
    """

    gang: GangKey
    refusal: Refusal
    hold: Hold | None = None
    fits_empty: bool | None = None

    @property
    def reason(self) -> StrEnum:
        """The reason of the refusal, or ``HOLDS_NODES`` if the gang has a node hold."""
        return self.refusal.reason if self.hold is None else Reason.HOLDS_NODES


Decision = Placement | Unplaceable


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One decision per gang, in planning order, for the snapshot of this generation."""

    generation: int
    decisions: tuple[Decision, ...]
