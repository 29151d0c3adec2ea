"""A party: a gang of several roles, with every mix of members that it may have and how long each mix runs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.model.run_times import SerialWork
from coschedule.queue.packing.layout import cells_of
from coschedule.queue.packing.rules import RolesOfTerm, is_bound, roles_of_term
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.problem.pools import PiecePool, even_seconds, pools_of
from coschedule.queue.problem.price import Price
from coschedule.queue.problem.terms import TermKind

MOST_CELLS = 2**14
"""The planner distinguishes at most this many combinations of counts: each further node costs as many steps."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Party:
    """A gang of several roles. Mix ``m``, from the smallest on, has ``needs[m, role]`` members of each role.

    Each member of a role takes ``requests[role, r]``. ``works[role]`` says whether the role has a load. ``times[m]``
    are the seconds that a mix runs on idle reference nodes, or a lower bound with pieces; inf where the run time is
    unknown. Where only some mixes have a known time, the others are left out. ``overheads[m]`` is the part of ``times``
    that is overhead, 0 without pieces. ``terms`` has the label and the roles of each term.
    """

    gang: PendingGang
    requests: IntArray
    needs: IntArray
    times: FloatArray
    works: BoolArray
    terms: tuple[tuple[str, RolesOfTerm], ...]
    pools: tuple[PiecePool, ...]
    overheads: FloatArray

    @property
    def wanted(self) -> IntArray:
        """The resources that some member requests, by index: int[w]."""
        return np.flatnonzero(self.requests.any(axis=0))

    @property
    def sizes(self) -> IntArray:
        """The number of members of each mix: int[m], rising."""
        sizes: IntArray = self.needs.sum(axis=1)
        return sizes

    @property
    def price(self) -> Price:
        """The price of a member-second to other gangs."""
        return self.gang.price

    @property
    def weights(self) -> FloatArray:
        """The weight of a second of each mix: float[m]."""
        return self.price.weights(self.sizes)

    @property
    def largest(self) -> int:
        """The number of members of the largest mix."""
        return int(self.sizes.max(initial=0))

    @property
    def is_known(self) -> bool:
        """Whether the run time of the gang is known."""
        return self.gang.work is not None

    @property
    def unequal(self) -> tuple[int, ...]:
        """The roles whose members have different parts of the work: several only with pieces."""
        return tuple(index for index, role in enumerate(self.gang.roles) if role.load.is_unequal)

    @property
    def maximised(self) -> int | None:
        """The role whose number of members is the value of a cell of tables, not an axis; None without such a role.

        It is the largest role whose members no term requires. See ``packing.layout``.
        """
        free = np.flatnonzero(~is_bound([term for _, term in self.terms], len(self.gang.roles)))
        return int(free[np.argmax(self.needs[-1, free])]) if free.size and len(self.needs) else None

    def with_enough(self, slots: Sequence[IntArray] | IntArray) -> IntArray:
        """Count the mixes, from the smallest on, for which each role has enough slots; shaped as ``slots[role]``."""
        fitting = [
            needs.searchsorted(of_role, side="right") for needs, of_role in zip(self.needs.T, slots, strict=True)
        ]
        most: IntArray = np.min(fitting, axis=0)
        return most

    def least_factor(self, slowdowns: FloatArray) -> FloatArray:
        """Return lower bounds on the run time divided by the run time on idle reference nodes: float[k].

        ``slowdowns[k]`` is a lower bound on the slow-down of the slowest node or, with unequal parts, of all nodes.
        """
        # The overhead of pieces does not depend on the speed of nodes.
        return np.minimum(slowdowns, 1.0) if self.pools else slowdowns

    def shortest_run(self, slowdown: float) -> float:
        """Return a lower bound on the seconds of each run on nodes of at least this slow-down; inf if it is unknown."""
        # The overhead of pieces does not depend on the speed of nodes.
        runs: FloatArray = self.overheads + (self.times - self.overheads) * slowdown
        return float(runs.min(initial=np.inf))

    def no_easier(self, mix: int, most: float) -> BoolArray:
        """Return the mixes that cannot fit, bool[m], given that ``mix`` does not fit.

        There is room for only ``most`` members of the maximised role, -inf if even the other roles do not fit.
        """
        if self._grown_role_is_company:
            return np.equal(np.arange(len(self.needs)), mix)
        if self.maximised is None or not self._grows[self.maximised]:
            return np.greater_equal(np.arange(len(self.needs)), mix)
        more: BoolArray = self.needs[:, self.maximised] > most
        return more

    @property
    def _grows(self) -> BoolArray:
        grows: BoolArray = self.needs.min(axis=0) < self.needs.max(axis=0)
        return grows

    @property
    def _grown_role_is_company(self) -> bool:
        """Whether some role has an affinity to another role whose number of members varies.

        More members of the other role may then open places to the role with the affinity.
        """
        return any(
            term.kind is TermKind.TOGETHER and (term.roles != term.towards).any() and (term.towards & self._grows).any()
            for _, term in self.terms
        )

    @property
    def cells(self) -> int:
        """The number of combinations of counts of the largest mix."""
        return cells_of(self.needs[-1], None if self.unequal else self.maximised) if len(self.needs) else 0

    def where(self, kept: BoolArray) -> "Party":
        """Return the party with only the mixes for which ``kept``, bool[m], is True."""
        return replace(self, needs=self.needs[kept], times=self.times[kept], overheads=self.overheads[kept])


def party_of(gang: PendingGang) -> Party:
    """Return a gang with all of its mixes; if its run time is known, with the mixes that have a time."""
    needs = _needs(gang)
    works = np.array([role.load.is_work for role in gang.roles])
    times = np.full(len(needs), np.inf)
    if gang.work is not None:
        members = needs[:, works].sum(axis=1)
        times = gang.work.float_times(int(members.max()))[members - 1]
        needs, times = needs[times < np.inf], times[times < np.inf]
    pools = pools_of(gang.roles)
    overheads = _overheads(gang, needs[:, works].sum(axis=1)) if pools else np.zeros(len(needs))
    if len(pools) > 1 and gang.work is not None:
        times = even_seconds(pools, gang.work, needs) + overheads
    names = [role.name for role in gang.roles]
    return Party(
        gang=gang,
        requests=np.array([role.request for role in gang.roles], dtype=np.int64),
        needs=needs,
        times=times,
        works=works,
        terms=tuple((term.topology_key, roles_of_term(term, names)) for term in gang.terms),
        pools=pools,
        overheads=overheads,
    )


def _overheads(gang: PendingGang, members: IntArray) -> FloatArray:
    if not isinstance(gang.work, SerialWork) or not members.size:
        return np.zeros(len(members))
    return gang.work.float_overheads(int(members.max()))[members - 1]


def _needs(gang: PendingGang) -> IntArray:
    sizes = [role.sizes.between(1, role.largest) for role in gang.roles]
    needs = np.ones((max(len(one) for one in sizes), len(sizes)), dtype=np.int64)
    for index, one in enumerate(sizes):
        needs[:, index] = one
    return needs
