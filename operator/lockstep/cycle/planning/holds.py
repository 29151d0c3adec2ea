"""Node holds: which waiting gangs hold nodes until others have ended, since when, and for how long at most.

The engine chooses the nodes (``coschedule.queue.planner.holds``), and this module keeps the times. A gang may hold
nodes for ``seconds`` after it could first have started, and then rests as long. The rest is longer if more gangs hold
or rest than may hold at once. Meanwhile all namespaces, and all gangs of each, can have a turn. So gangs take turns,
however many of them hold nodes in vain. And no gang waits forever for gangs and pods that each run for less than
``seconds``.
"""

from collections import Counter
from dataclasses import dataclass, replace

from coschedule import Decision, GangKey, Placement, Refusal, Unplaceable
from lockstep.facts.gang.gang import GangFact
from lockstep.report.text.operator_refusals import HoldingNodes, RestingFromHold


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldPolicy:
    """How many ``seconds`` a gang may hold nodes, and how many ``gangs`` may hold nodes at once; 0 allows no node hold.

    The default is four gangs. With one, gangs in separate pools would wait for each other. With many, too many nodes
    would be held and unused.
    """

    seconds: float = 600.0
    gangs: int = 4

    @property
    def most_holding(self) -> int:
        """The most gangs that may hold nodes at once."""
        return self.gangs if self.seconds > 0 else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _HoldEntry:
    """A node hold.

    ``since`` and ``until`` are times of day, for messages; ``over_at`` and ``rested_at`` are monotonic.
    """

    gang_uid: str
    nodes: tuple[str, ...]
    since: float
    until: float
    over_at: float
    rested_at: float

    @property
    def rest(self) -> float:
        """The seconds of the rest after the hold."""
        return self.rested_at - self.over_at


class Holds:
    """The node holds of all gangs. ``now`` is monotonic; ``of_day`` is the time of day."""

    def __init__(self, policy: HoldPolicy) -> None:
        self.policy = policy
        self._by_gang: dict[GangKey, _HoldEntry] = {}

    def may_hold(self, gang: GangFact, now: float) -> bool:
        """Whether the gang may hold nodes: it has no node hold, or the time of its hold is not over."""
        entry = self._entry(gang, now)
        return entry is None or now < entry.over_at

    def held(self, gang: GangFact, now: float) -> tuple[str, ...]:
        """The nodes that the gang holds since the last plan."""
        entry = self._entry(gang, now)
        return entry.nodes if entry is not None and now < entry.over_at else ()

    def record(self, gang: GangFact, decision: Decision, now: float, *, of_day: float) -> Decision:
        """Record the decision. Returns it, with a refusal that mentions the gang's hold or rest if it has one."""
        entry = self._entry(gang, now)
        if isinstance(decision, Unplaceable) and decision.hold is not None:
            first = max(0.0, decision.hold.start - of_day)
            if entry is None:
                entry = self._begin(gang, now + first, since=of_day, until=of_day + first + self.policy.seconds)
            self._by_gang[gang.key] = replace(entry, nodes=decision.hold.nodes)
            return replace(decision, refusal=_holding(decision.refusal, decision.hold.nodes, entry))
        if isinstance(decision, Placement) and decision.start <= of_day:
            self.forget(gang.key)
        elif entry is not None and now < entry.over_at:
            # The time of the hold goes on. Otherwise a gang that sometimes needs no hold could hold nodes forever.
            self._by_gang[gang.key] = replace(entry, nodes=())
        elif entry is not None and isinstance(decision, Unplaceable):
            return replace(decision, refusal=self._resting(decision.refusal, entry))
        return decision

    def forget(self, gang: GangKey) -> None:
        """Drop a gang that was deleted, or that starts."""
        self._by_gang.pop(gang, None)

    def next_change(self, since: float) -> float:
        """The first time after ``since`` at which a hold or rest is over; infinity if there is none."""
        times = [time for entry in self._by_gang.values() for time in (entry.over_at, entry.rested_at)]
        return min((time for time in times if time > since), default=float("inf"))

    def _begin(self, gang: GangFact, first: float, *, since: float, until: float) -> _HoldEntry:
        over_at = first + self.policy.seconds
        return _HoldEntry(
            gang_uid=gang.uid,
            nodes=(),
            since=since,
            until=until,
            over_at=over_at,
            rested_at=over_at + self._turns(gang) * self.policy.seconds,
        )

    def _turns(self, gang: GangFact) -> int:
        """How long the gang rests, in turns of ``policy.gangs`` gangs.

        Meanwhile each gang of its namespace that holds or rests can have a turn, and so can as many of each other
        namespace. So many gangs of one namespace do not prolong the rests of others.
        """
        taking = Counter(key.namespace for key in self._by_gang.keys() | {gang.key})
        return -(-len(taking) * taking[gang.key.namespace] // max(1, self.policy.gangs))

    def _resting(self, refusal: Refusal, entry: _HoldEntry) -> RestingFromHold:
        return RestingFromHold(refusal=refusal, until=entry.until, again=entry.until + entry.rest)

    def _entry(self, gang: GangFact, now: float) -> _HoldEntry | None:
        entry = self._by_gang.get(gang.key)
        if entry is None or entry.gang_uid != gang.uid or now >= entry.rested_at:
            return None
        return entry


def _holding(refusal: Refusal, nodes: tuple[str, ...], entry: _HoldEntry) -> HoldingNodes:
    return HoldingNodes(refusal=refusal, nodes=nodes, since=entry.since, until=entry.until)
