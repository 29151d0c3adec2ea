"""The frozen facts of one cycle: nodes, the resources that are free on them at each time, and the waiting gangs.

All times are absolute seconds on the same axis as ``Snapshot.now``. Resources are integers in base units, one column
per resource. Pod count, a bid's slots and host ports are resources too.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from coschedule.model.kinds import NO_KIND, times_on
from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.problem.fair_shares import FairShares
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.problem.nodes import NodeTable, Nominated, Release, read_only
from coschedule.queue.problem.open_ended import OpenEnded, none_open_ended
from coschedule.queue.problem.owner_forecasts import Forecasts, no_forecasts
from coschedule.queue.problem.promise_kinds import Promises
from coschedule.queue.problem.running import RunningGang

AMOUNT_LIMIT = 2**62
"""More of a resource than any node has. Sums of amounts stop here, so that 64-bit integers never overflow."""


def _nothing() -> IntArray:
    return np.zeros((0, 0), dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Snapshot:
    """All facts that one cycle decides on.

    Axes: node ``n``, resource ``r``. ``free[n, r]`` is free at ``now``, negative where pods overcommit the node. A node
    takes members in its window ``[start[n], until[n])``; ``until`` is inf where the window never closes. A member there
    takes ``slowdown[n]`` times as long as on an idle reference node.

    Other resources are not free at ``now``. ``releases`` become free at known times, ``someday[n, r]`` at an unknown
    time, and ``lasting[n, r]`` never; the default is 0. ``open_ended`` names the gangs that use a part of ``someday``.
    At most ``most_holding`` gangs may hold nodes until some of ``someday`` is free. The ``running`` gangs may be
    evicted, but no more of their pods than each of the ``budgets`` allows. ``forecasts`` say when node owners may come
    back before their windows close. ``kinds[n]`` is the number of the node's kind, -1 for none (the default). Gangs may
    have factors for kinds. ``shares`` are the groups whose gangs take turns; by default there is one. Some releases may
    be ``left_idle``: nothing uses these resources, but they count as taken, so that short gangs find room.

    Arrays are copied and read-only; ValueError when a shape or a value is wrong.
    """

    generation: int
    now: float
    resources: tuple[str, ...]
    nodes: NodeTable
    free: IntArray
    start: FloatArray
    slowdown: FloatArray
    until: FloatArray
    releases: tuple[Release, ...]
    gangs: tuple[PendingGang, ...]
    someday: IntArray = field(default_factory=_nothing)
    lasting: IntArray = field(default_factory=_nothing)
    most_holding: int = 0
    nominated: tuple[Nominated, ...] = ()
    running: tuple[RunningGang, ...] = ()
    budgets: tuple[int, ...] = ()
    promises: Promises = Promises.CONSERVATIVE
    forecasts: Forecasts = field(default_factory=no_forecasts)
    kinds: IntArray = field(default_factory=_nothing)
    open_ended: OpenEnded = field(default_factory=none_open_ended)
    shares: FairShares = field(default_factory=FairShares)
    left_idle: tuple[Release, ...] = ()

    def __post_init__(self) -> None:
        count, width = len(self.nodes.names), len(self.resources)
        object.__setattr__(self, "free", read_only("free", self.free, np.int64, (count, width)))
        for name in ("someday", "lasting"):
            given = getattr(self, name)
            amounts = given if np.size(given) else np.zeros((count, width))
            object.__setattr__(self, name, read_only(name, amounts, np.int64, (count, width)))
        for name in ("start", "slowdown", "until"):
            object.__setattr__(self, name, read_only(name, getattr(self, name), np.float64, (count,)))
        kinds = self.kinds if np.size(self.kinds) else np.full(count, NO_KIND)
        object.__setattr__(self, "kinds", read_only("kinds", kinds, np.int64, (count,)))
        self._check_numbers()
        if (self.open_ended.node >= count).any():
            raise ValueError("gangs of unknown end must hold nodes of the snapshot")
        if self.forecasts.hours and len(self.forecasts.returns) != count:
            raise ValueError(f"forecasts must have one row for each of {count} nodes")
        if self.shares.capacity and len(self.shares.capacity) != width:
            raise ValueError("shares must have one capacity for each resource")
        self._check_releases()
        self._check_nominated()
        self._check_gangs()
        self._check_running()

    def as_fast_as(self, slowdown: FloatArray) -> "Snapshot":
        """Return the snapshot in which nodes have these slow-downs, and no kinds."""
        return self.changed(slowdown=slowdown, kinds=np.full_like(self.kinds, NO_KIND))

    def changed(self, **fields: object) -> "Snapshot":
        """Return the snapshot with other values of some fields.

        A plan makes many such snapshots, each with thousands of releases. So nothing is validated or copied: the caller
        gives valid values in the types of the fields.
        """
        other = object.__new__(Snapshot)
        for name in Snapshot.__slots__:
            object.__setattr__(other, name, fields.get(name, getattr(self, name)))
        return other

    def _check_numbers(self) -> None:
        if not math.isfinite(self.now):
            raise ValueError("now must be finite")
        if np.isnan(self.start).any() or np.isnan(self.until).any():
            raise ValueError("start and until must be numbers")
        if not _are_slowdowns(self.slowdown):
            raise ValueError("every slowdown must be positive and finite")

    def _check_releases(self) -> None:
        for release in self.releases:
            if not 0 <= release.node < len(self.nodes.names):
                raise ValueError(f"a release names node {release.node} of {len(self.nodes.names)}")
            if len(release.request) != len(self.resources) or math.isnan(release.time):
                raise ValueError("a release needs a time, and one amount for each resource")

    def _check_nominated(self) -> None:
        for pod in self.nominated:
            if not 0 <= pod.node < len(self.nodes.names) or len(pod.request) != len(self.resources):
                raise ValueError("a nominated pod needs a node of the snapshot and one amount for each resource")

    def _check_gangs(self) -> None:
        for gang in self.gangs:
            if any(len(role.request) != len(self.resources) for role in gang.roles):
                raise ValueError(f"gang {gang.key} must request one amount for each resource")
            # The nodes of a role rise, so the first and the last node bound all others.
            ends = [seat for of_role in gang.kept.seats for seat in (*of_role[:1], *of_role[-1:])] if gang.kept else []
            nodes = [seat.node for seat in ends]
            if gang.kept is not None and gang.kept.latest is not None:
                nodes.append(gang.kept.latest)
            if any(not 0 <= node < len(self.nodes.names) for node in nodes):
                raise ValueError(f"gang {gang.key} must keep nodes of the snapshot")
            self._check_factors(gang)
        if len({gang.key for gang in self.gangs}) != len(self.gangs):
            raise ValueError("gang keys must be distinct")

    def _check_factors(self, gang: PendingGang) -> None:
        if not gang.factors:
            return
        with np.errstate(over="ignore"):
            is_right = _are_slowdowns(self.slowdown * times_on(gang.factors, self.kinds))
        if not is_right:
            raise ValueError(f"every slowdown must be positive and finite, also by the factors of gang {gang.key}")

    def _check_running(self) -> None:
        for gang in self.running:
            for node, request in gang.holds:
                if not 0 <= node < len(self.nodes.names) or len(request) != len(self.resources):
                    raise ValueError(
                        f"gang {gang.key} must hold nodes of the snapshot, and one amount for each resource"
                    )
            if any(not 0 <= one.budget < len(self.budgets) for one in gang.disrupts):
                raise ValueError(f"gang {gang.key} counts against a budget that is not there")


def _are_slowdowns(values: FloatArray) -> bool:
    return bool(np.isfinite(values).all() and (values > 0).all())
