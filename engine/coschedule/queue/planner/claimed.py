"""What the decisions of a plan so far have claimed, and so the resources that are still free at each time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from coschedule.model.numbers import IntArray
from coschedule.queue.keeping.kept_places import Place, given_back
from coschedule.queue.planner.nominated import by_urgency, claims_of_pods, count_in_front
from coschedule.queue.planner.unplaced import closing
from coschedule.queue.planner.without_end import WithoutEnd
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.nodes import Nominated
from coschedule.queue.problem.open_ended import none_open_ended
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.slots.claims import Claim
from coschedule.queue.slots.timeline import Timeline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Claimed:
    """The timeline with all claims so far, and the gangs that use nodes ``without_end``.

    ``nominated`` are the pods whose resources are not claimed yet, the highest priority first. ``holds_left`` is how
    many more gangs may hold nodes.
    """

    timeline: Timeline
    without_end: WithoutEnd
    nominated: tuple[Nominated, ...]
    holds_left: int

    def with_claims(self, owned: Sequence[tuple[GangKey, Claim]]) -> "Claimed":
        """Return a copy with more claims, each with the key of its gang."""
        return self._going_on(owned, self.timeline.claimed_all([claim for _, claim in owned]))

    def with_places(self, places: Sequence[Place], timeline: Timeline) -> "Claimed":
        """Return a copy with a timeline on which these places are claimed."""
        return self._going_on([(place.gang.key, claim) for place in places for claim in place.claims], timeline)

    def without(self, claims: Sequence[Claim]) -> "Claimed":
        """Return a copy without ``claims``, each of which must have an end."""
        return replace(self, timeline=self.timeline.claimed_all(given_back(claims)))

    def with_hold(self, gang: GangKey, ranks: IntArray, start: float) -> "Claimed":
        """Return a copy in which a gang holds the nodes of these ranks; they close for others from ``start`` on."""
        resources = self.without_end.of_unknown_end.shape[1]
        return replace(
            self,
            timeline=self.timeline.claimed(closing(ranks, start, resources=resources)),
            without_end=self.without_end.holding(gang, self.timeline.node[ranks]),
            holds_left=self.holds_left - 1,
        )

    def with_nominated(self, priority: int, rank_of: IntArray) -> "Claimed":
        """Return a copy with claims for the nominated pods of at least this priority."""
        count = count_in_front(self.nominated, priority)
        if not count:
            return self
        claims = claims_of_pods(self.nominated[:count], rank_of, self.timeline.now)
        return replace(self, nominated=self.nominated[count:], timeline=self.timeline.claimed_all(claims))

    def _going_on(self, owned: Sequence[tuple[GangKey, Claim]], timeline: Timeline) -> "Claimed":
        return replace(self, timeline=timeline, without_end=self.without_end.taking(owned, timeline.node))


def nothing_claimed(snapshot: Snapshot, at_first: Timeline) -> Claimed:
    """Return what is claimed before the first decision: nothing."""
    return Claimed(
        timeline=at_first,
        without_end=WithoutEnd(of_unknown_end=snapshot.someday, hold=none_open_ended()),
        nominated=by_urgency(snapshot.nominated),
        holds_left=snapshot.most_holding,
    )
