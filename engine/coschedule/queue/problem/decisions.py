"""The decisions of a plan: where and when each gang runs, or why it has no placement."""

from dataclasses import dataclass, field
from enum import StrEnum

from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.members import Members
from coschedule.queue.problem.refusals import Reason, Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """The best placement that was not chosen, to compare with; see ``Placement``, also for the fields."""

    size: int
    start: float
    finish: float
    speedup: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """The risk that node owners come back during a run.

    ``probability``: that at least one comes back. ``lost_seconds``: the work that is lost on average, inf where the run
    time is unknown. ``node``: the node whose owner is most likely to come back, with the probability ``of_node``.
    """

    probability: float
    lost_seconds: float
    node: str
    of_node: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """A gang of ``size`` members on ``members``, ranks numbered along that list: role by role, then in node order.

    A node is listed once for each different number of pieces that members of a role have there, larger numbers first.

    Times are absolute seconds. The gang starts now if ``start == now``. ``finish`` is inf when the run time is unknown.
    ``speedup`` is T(1) / (finish - requested), None when either is unknown. ``member_price`` is the price at which the
    placement was chosen. ``deadline``: the fewest members were chosen that end by then; None without one.
    It repeats the gang's, and equality ignores it.
    ``promised`` is the latest start of the gang, None without a promise; see ``Promises``.

    ``alternative``, for a gang that starts now: the best later start with more members, else the best other size. For a
    gang that starts later: the best start now. Best means the least value. None when there is none.

    ``slowest`` is the node with the largest slow-down. ``latest`` is the node that has room only from the start on; it
    is None when the gang starts now or waits for no node. Of several nodes, the fastest, then the first by name.

    ``risk``: the risk that node owners come back during the run, None where no return is forecast. ``own_times``: the
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
    """A gang that fits nowhere, now or later; ``refusal`` says why, with numbers.

    ``hold``: its node hold until it fits; ``reason`` is then ``HOLDS_NODES``. ``fits_empty``: whether it would fit in
    time if nothing ran on the nodes, in their windows; None where that is not known.
    """

    gang: GangKey
    refusal: Refusal
    hold: Hold | None = None
    fits_empty: bool | None = None

    @property
    def reason(self) -> StrEnum:
        """Why the gang has no placement."""
        return self.refusal.reason if self.hold is None else Reason.HOLDS_NODES


Decision = Placement | Unplaceable


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One decision per gang, in planning order, for the snapshot of this generation."""

    generation: int
    decisions: tuple[Decision, ...]
