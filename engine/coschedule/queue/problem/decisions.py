"""What a plan says: where and when each gang goes, or why it goes nowhere."""

from dataclasses import dataclass
from enum import StrEnum

from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.members import Members
from coschedule.queue.problem.refusals import Reason, Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """The best placement that was not chosen and differs in a telling way; fields as in ``Placement``."""

    size: int
    start: float
    finish: float
    speedup: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """What owners who may come back mean for a run.

    One of them comes back during the run with a ``probability``, and ``lost_seconds`` of its work are lost on average,
    inf where its run time is unknown. Most likely it is the owner of ``node``, with a probability ``of_node``.
    """

    probability: float
    lost_seconds: float
    node: str
    of_node: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """A gang of ``size`` members on ``members``, ranks numbered along that list: role by role, then in node order.

    A node is listed once for each different number of pieces that members of a role have there, larger numbers first.

    Times are absolute seconds; ``start == now`` means it starts now, ``finish`` is inf when its run time is unknown.
    ``speedup`` is T(1) / (finish - requested), None when either is unknown; ``member_price`` is what it was chosen at.
    It is ``promised`` to start by that time, None where nothing is promised; see ``Promises``.

    ``alternative``: of a gang that starts now, the best later start with more members, else the best other size; of a
    gang that starts later, the best start now. Best means the least value, as for the gang. None when there is none.

    What limits it: node ``slowest`` has the largest slow-down of its nodes; node ``latest`` has room for its members
    only from the start on, None when the gang starts now or waits for no node. Of several nodes, the fastest, then the
    first by name.

    ``risk``: what it risks by owners who may come back, None where none is expected meanwhile. ``own_times``: how many
    times as long it runs, by its factors for kinds of nodes, as it would without them.
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
    promised: float | None = None
    risk: Risk | None = None
    own_times: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """The nodes that a gang holds, in node order: gangs behind it use them only if they end by ``start``."""

    nodes: tuple[str, ...]
    start: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Unplaceable:
    """A gang that fits nowhere, now or later; ``refusal`` says why, with numbers.

    ``hold``: what it holds until it fits; the reason is then that it holds nodes. ``fits_empty``: whether it would fit
    in time if nothing were on the nodes, which have the windows that they have. None where that is not known.
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
