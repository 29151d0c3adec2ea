"""Turns a choice into a placement: ranks become names, and the work is divided."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.choosing.choice import Choice
from coschedule.queue.choosing.own_speeds import own_slowdowns, own_times
from coschedule.queue.keeping.kept_choice import seats_by_rank
from coschedule.queue.keeping.memory import kept_from
from coschedule.queue.owners.hazards import Hazards
from coschedule.queue.planner.divide_work import divide_work
from coschedule.queue.problem.decisions import Alternative, Placement, Risk
from coschedule.queue.problem.gangs import GangKey, PendingGang, Role
from coschedule.queue.problem.members import Members
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.search.candidates import Outline
from coschedule.queue.search.node_choice import ChosenNodes
from coschedule.queue.slots.claims import Claim


@dataclass(frozen=True, slots=True, eq=False)
class Placing:
    """Turns choices on the nodes of a snapshot into placements, and placements into claims.

    The node of rank k has the index node[k], and the node of index n the rank rank_of[n]. ``hazards`` is None where no
    node owner is expected back.
    """

    snapshot: Snapshot
    node: IntArray
    rank_of: IntArray
    hazards: Hazards | None

    def placement(self, gang: PendingGang, choice: Choice, members: tuple[Members, ...] = ()) -> Placement:
        """Return the placement of a gang; ``members`` are the kept members if they are unchanged, or else ()."""
        outline, other = choice.outline, choice.alternative
        return Placement(
            gang=gang.key,
            size=outline.size,
            start=outline.start,
            finish=outline.finish,
            speedup=self._speedup(gang, outline),
            members=members or self._members(gang, choice),
            slowest=self.name(choice.slowest),
            latest=None if choice.latest is None else self.name(choice.latest),
            alternative=None if other is None else self._alternative(gang, other),
            member_price=gang.price.seconds,
            deadline=gang.deadline,
            risk=self._risk(gang, choice),
            own_times=self._own_times(gang, choice) if gang.factors else 1.0,
        )

    def beside(self, gang: PendingGang, placement: Placement, other: Outline | None) -> Placement:
        """Return a placement with another alternative."""
        return replace(placement, alternative=None if other is None else self._alternative(gang, other))

    def owned_claims(self, placed: Iterable[tuple[PendingGang, Placement]]) -> list[tuple[GangKey, Claim]]:
        """Return the claims of placements, each with the key of its gang."""
        return [(gang.key, claim) for gang, placement in placed for claim in self.claims(gang, placement)]

    def claims(self, gang: PendingGang, placement: Placement) -> Iterator[Claim]:
        """List the claims of a placement."""
        kept = kept_from(
            placement.members,
            [role.name for role in gang.roles],
            self.snapshot.nodes.index,
            start=placement.start,
            finish=placement.finish,
        )
        assert kept is not None, "a placement is on nodes of its snapshot"
        for role, nodes in zip(gang.roles, seats_by_rank(kept, self.rank_of), strict=True):
            yield Claim(
                ranks=nodes.ranks,
                counts=nodes.counts,
                request=np.array(role.request, dtype=np.int64),
                start=placement.start,
                finish=placement.finish,
            )

    def name(self, rank: int) -> str:
        """Return the name of the node of a rank."""
        return self.snapshot.nodes.names[int(self.node[rank])]

    def names(self, ranks: IntArray) -> tuple[str, ...]:
        """Return the names of the nodes of these ranks, sorted."""
        return tuple(sorted(self.name(rank) for rank in ranks.tolist()))

    def ranks(self, names: Iterable[str]) -> IntArray:
        """Return the ranks of the nodes with these names."""
        index = self.snapshot.nodes.index
        return self.rank_of[[index[name] for name in names]]

    def _risk(self, gang: PendingGang, choice: Choice) -> Risk | None:
        """Return the risk from node owners; None where none is expected back during the run."""
        if self.hazards is None:
            return None
        start, finish = choice.outline.start, choice.outline.finish
        nodes = np.unique(self.node[np.concatenate([seat.ranks for seat in choice.seats])])
        loss = self.hazards.loss(nodes, start, finish, gang.checkpoint_interval)
        if not loss.probability:
            return None
        node, probability = self.hazards.likeliest(nodes, start, finish)
        return Risk(
            probability=loss.probability,
            lost_seconds=loss.seconds,
            node=self.snapshot.nodes.names[node],
            of_node=probability,
        )

    def _own_times(self, gang: PendingGang, choice: Choice) -> float:
        seats = [(self.node[nodes.ranks], nodes.counts) for nodes in choice.seats]
        return own_times(gang.roles, seats, self.snapshot.slowdown, own_slowdowns(gang, self.snapshot))

    def _members(self, gang: PendingGang, choice: Choice) -> tuple[Members, ...]:
        slowdowns = own_slowdowns(gang, self.snapshot)
        by_role = [
            self._divide_work(role, nodes, slowdowns) for role, nodes in zip(gang.roles, choice.seats, strict=True)
        ]
        return tuple(members for of_role in by_role for members in of_role)

    def _divide_work(self, role: Role, chosen: ChosenNodes, slowdowns: FloatArray) -> tuple[Members, ...]:
        nodes = self.node[chosen.ranks]
        by_name = np.argsort(nodes)
        nodes = nodes[by_name]
        names = tuple(self.snapshot.nodes.names[node] for node in nodes.tolist())
        return divide_work(role, names, chosen.counts[by_name], slowdowns[nodes])

    def _alternative(self, gang: PendingGang, outline: Outline) -> Alternative:
        return Alternative(
            size=outline.size,
            start=outline.start,
            finish=outline.finish,
            speedup=self._speedup(gang, outline),
        )

    def _speedup(self, gang: PendingGang, outline: Outline) -> float | None:
        serial, now = gang.serial, self.snapshot.now
        since = now if gang.requested is None else min(gang.requested, now)
        return None if serial is None else serial / (outline.finish - since)
